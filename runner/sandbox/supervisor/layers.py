"""The table of the layers: what each keeps away, how it is tried, and what its absence means."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from runner.sandbox.jail.confinement import Layers
from runner.sandbox.jail.trials import ATTEMPTS


class Layer(NamedTuple):
    """A layer; if `without` is empty, no program is run without it."""

    name: str
    keeps_away: str
    holds: Callable[[Layers], bool]
    # What it means to a machine that lacks it.
    without: str = ""
    # What children attempt, as in `ATTEMPTS`; those that need to know the host are only named here.
    trials: tuple[str, ...] = ()


def _always(_: Layers) -> bool:
    return True


_OUTSIDE = ("connect to a socket outside", "signal a process outside")

LAYERS = (
    Layer(
        "namespaces",
        "the host's network, processes, mounts, users, IPC, name and control groups",
        lambda layers: layers.namespaces,
        "network, processes and mounts of the host are kept away by the other layers only",
        _OUTSIDE,
    ),
    Layer(
        "empty root",
        "all files: the root folder is empty and can't be written to",
        lambda layers: layers.empty_root,
        "the host's files are there, and only the other layers hide them",
        tuple(ATTEMPTS["empty root"]),
    ),
    Layer(
        "Landlock",
        "all files, once more",
        lambda layers: layers.landlock >= 1,
        "files are refused by seccomp and the empty root alone",
        tuple(ATTEMPTS["Landlock 1"]),
    ),
    Layer(
        "Landlock for TCP",
        "TCP, once more",
        lambda layers: layers.landlock >= 4,
        "TCP is refused by seccomp and namespaces alone",
        tuple(ATTEMPTS["Landlock 4"]),
    ),
    Layer(
        "Landlock for signals",
        "signals and abstract sockets, once more",
        lambda layers: layers.landlock >= 6,
        "signals and abstract sockets are refused by seccomp and namespaces alone",
        _OUTSIDE,
    ),
    Layer(
        "seccomp",
        "all system calls but those for computing, threads, waiting, and the process's own pipes",
        _always,
        trials=(*ATTEMPTS["seccomp"], *ATTEMPTS["attacks"]),
    ),
    Layer(
        "resource limits",
        "more memory, CPU time, descriptors, locked memory, written files and core dumps",
        _always,
        trials=(*ATTEMPTS["memory limit"], *ATTEMPTS["resource limits"]),
    ),
    Layer(
        "no new privileges",
        "rights of set-user-ID programs",
        _always,
        trials=tuple(ATTEMPTS["no new privileges"]),
    ),
    Layer(
        "no capabilities",
        "what only root may do",
        _always,
        trials=tuple(ATTEMPTS["no capabilities"]),
    ),
    Layer(
        "ordinary user",
        "root's files and processes",
        lambda layers: layers.user != 0,
        "to the host it is root, without capabilities: it owns root's files, were they in reach",
        ("become another user",),
    ),
)


def lost_layers(layers: Layers) -> list[Layer]:
    """Return the layers that this machine doesn't provide."""
    return [layer for layer in LAYERS if not layer.holds(layers)]
