"""How well this machine confines code, found out by confining some."""

from __future__ import annotations

from dataclasses import dataclass

from runner.sandbox.confinement import Layers
from runner.sandbox.launching import launch
from runner.sandbox.programs import SandboxUnavailable


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
        spaces = "namespaces of its own" if layers.namespaces else "the machine's namespaces"
        landlock = f"Landlock {layers.landlock}" if layers.landlock else "no Landlock"
        return [
            f"available, started through: {layers.launcher}",
            f"{spaces}, {'an empty root' if layers.empty_root else 'no empty root'}, {landlock}",
            f"seccomp filters, no new privileges, no capabilities, user {layers.user}",
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
