"""Remedies for missing layers: those that apply to this machine, by what it says of itself."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

_BY_NAMESPACES = ("namespaces", "empty root")
_LANDLOCK = ("Landlock", "Landlock for TCP", "Landlock for signals")
# The first Linux whose Landlock confines signals and abstract sockets, too.
_LANDLOCK_OF_ALL = (6, 12)


def find_remedies(layer: str) -> list[str]:
    """Return how to get a layer on this machine."""
    return [remedy for layers, applies, remedy in _REMEDIES if layer in layers and applies()]


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""


def _has(path: str, text: str) -> Callable[[], bool]:
    return lambda: _read(path).strip() == text


def _has_old_kernel() -> bool:
    numbers = os.uname().release.partition("-")[0].split(".")[:2]
    return tuple(int(number) for number in numbers if number.isdecimal()) < _LANDLOCK_OF_ALL


def _has_no_landlock() -> bool:
    return "landlock" not in _read("/sys/kernel/security/lsm")


def _is_filtered() -> bool:
    """Whether this process has a seccomp filter, as those of containers have."""
    return "\nSeccomp:\t2\n" in _read("/proc/self/status")


# The layers that a remedy brings, whether it applies, and what to do.
_REMEDIES: tuple[tuple[tuple[str, ...], Callable[[], bool], str], ...] = (
    (
        _BY_NAMESPACES,
        _has("/proc/sys/user/max_user_namespaces", "0"),
        "allow user namespaces: sysctl -w user.max_user_namespaces=15000",
    ),
    (
        _BY_NAMESPACES,
        _has("/proc/sys/kernel/unprivileged_userns_clone", "0"),
        "allow user namespaces: sysctl -w kernel.unprivileged_userns_clone=1",
    ),
    (
        _BY_NAMESPACES,
        _has("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1"),
        (
            "allow user namespaces: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0,"
            " or give bubblewrap an AppArmor profile with `userns`"
        ),
    ),
    (
        _BY_NAMESPACES,
        _is_filtered,
        (
            "in a container: use a seccomp profile that also allows unshare, clone with"
            " namespaces, mount, umount2 and pivot_root, and with AppArmor one that allows mounting"
        ),
    ),
    (
        _BY_NAMESPACES,
        lambda: shutil.which("bwrap") is None,
        "install bubblewrap, which may be allowed to make namespaces: apt-get install bubblewrap",
    ),
    (
        ("empty root",),
        lambda: os.geteuid() != 0,
        "start workers as root: they become `nobody`, in an empty root",
    ),
    (_LANDLOCK, _has_old_kernel, "start Linux 6.12 or newer; 5.13 confines files only"),
    (_LANDLOCK, _has_no_landlock, "start a kernel built with Landlock, with landlock in lsm="),
    (
        _LANDLOCK,
        _is_filtered,
        "in a container: use a seccomp profile of 2022 or newer, which allows Landlock",
    ),
    (
        ("ordinary user",),
        lambda: os.geteuid() == 0,
        "start workers as an ordinary user, or allow `nobody` to make namespaces",
    ),
)
