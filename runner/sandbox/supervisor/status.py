"""How well this machine confines code, found out by confining some."""

from __future__ import annotations

from dataclasses import dataclass

from runner.sandbox.jail.confinement import Layers
from runner.sandbox.programs import SandboxUnavailable
from runner.sandbox.supervisor.launching import launch


@dataclass(frozen=True, slots=True)
class ConfinementStatus:
    """Whether programs can be run here, inside which layers, or why not."""

    available: bool
    reason: str
    layers: Layers | None

    def lines(self) -> list[str]:
        """For people."""
        if self.layers is None:
            return [f"unavailable: {self.reason}"]
        layers = self.layers
        held = (
            (layers.namespaces, "own user, pid, network, mount, ipc, uts and cgroup namespaces"),
            (layers.empty_root, "an empty root"),
            (layers.landlock, f"Landlock {layers.landlock}"),
            (layers.seccomp, "seccomp filters"),
            (True, "resource limits"),
            (layers.no_new_privileges, "no new privileges"),
            (layers.capabilities_dropped, "no capabilities"),
            (True, f"user {layers.user}"),
        )
        return [
            f"available, started through: {layers.launcher}",
            f"held by: {'; '.join(text for holds, text in held if holds)}",
            *(f"lost: {loss}" for loss in layers.lost()),
            *(f"refused: {reason}" for reason in layers.refused),
        ]


def confinement_status() -> ConfinementStatus:
    """Start a zygote, ask what holds around it, and end it."""
    try:
        zygote = launch()
    except SandboxUnavailable as unavailable:
        return ConfinementStatus(False, str(unavailable), None)
    layers = zygote.layers
    zygote.close()
    return ConfinementStatus(True, "", layers)
