"""Zygotes in which a single layer holds: what it stops alone, and what it doesn't.

Production code has no switch for this. A zygote imports the function that replaces the running of
programs (which only tests ask for) before it confines itself; importing one from here takes the
system calls of all other layers away from that process first.
"""

from __future__ import annotations

import resource
from typing import Any, NoReturn

from runner.sandbox.jail import confinement, kernel, trials
from runner.sandbox.jail import limits as resource_limits
from tests.sandbox.bare import run_bare

LAYERS = frozenset("none landlock seccomp limits no_new_privileges empty_root namespaces".split())

_SET_SECCOMP, _GET_SECCOMP, _FILTER_MODE = 22, 21, 2
_SET_NO_NEW_PRIVILEGES, _GET_NO_NEW_PRIVILEGES = 38, 39
_LANDLOCK_CALLS = (444, 445, 446)
# On x86-64 and on aarch64.
_SECCOMP_CALLS = (317, 277)
# Nobody without capabilities can have seccomp or Landlock without it.
_WITH_NO_NEW_PRIVILEGES = ("landlock", "seccomp", "no_new_privileges")


class _Libc:
    """The C library, but for the calls of the layers that are off: these do nothing."""

    def __init__(self, real: Any, kept: str) -> None:
        self._real = real
        self._kept = kept

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def prctl(self, option: int, *arguments: Any) -> int:
        # What is asked here has to look well, or nothing would be run.
        if option == _GET_SECCOMP:
            return _FILTER_MODE
        if option == _GET_NO_NEW_PRIVILEGES:
            return 1
        if option == _SET_SECCOMP and self._kept != "seccomp":
            return 0
        if option == _SET_NO_NEW_PRIVILEGES and self._kept not in _WITH_NO_NEW_PRIVILEGES:
            return 0
        return int(self._real.prctl(option, *arguments))

    def syscall(self, number: int, *arguments: Any) -> int:
        if number in _LANDLOCK_CALLS and self._kept != "landlock":
            # As a kernel without it.
            return -1
        if number in _SECCOMP_CALLS and self._kept != "seccomp":
            return 0
        return int(self._real.syscall(number, *arguments))

    def timer_settime(self, *arguments: Any) -> int:
        return int(self._real.timer_settime(*arguments)) if self._kept == "limits" else 0


def _keep(layer: str) -> None:
    kernel._libc = _Libc(kernel._libc, layer)  # type: ignore[assignment]
    kernel._quick_prctl = kernel._libc.prctl
    # The zygote's own test would rightly refuse to go on.
    trials.Trial.find_escape = lambda *_: ""  # type: ignore[method-assign]
    if layer != "limits":
        resource.setrlimit = resource_limits._set = lambda *_: None
    if layer != "empty_root":
        confinement._enter_a_folder_of_the_dead = _refused


def _refused() -> NoReturn:
    raise PermissionError


def __getattr__(name: str) -> Any:
    if name not in LAYERS:
        raise AttributeError(name)
    _keep(name)
    return run_bare
