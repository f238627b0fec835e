"""The layers of confinement around a zygote and its children, and checks that they hold."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from runner.sandbox.jail import kernel, limits, trials
from runner.sandbox.jail.filters_generated import FILTERS
from runner.sandbox.programs import SandboxUnavailable

NOBODY = 65_534


@dataclass(frozen=True, slots=True)
class Layers:
    """The layers around a zygote and its children; each has been tried, see `trials`."""

    launcher: str
    namespaces: bool
    empty_root: bool
    # The version of its interface; 0 without it.
    landlock: int
    # Whether addresses aren't randomised: results that depend on them are the same everywhere.
    fixed_addresses: bool
    # The user id, in the end that on the host.
    user: int
    # How many attempts to get out were stopped, and how long trying them took.
    attempts: int = 0
    trial_ms: float = 0.0
    # The launchers that were tried before, each with the reason why it didn't work.
    refused: tuple[str, ...] = ()


def filters_for(machine: str) -> dict[str, bytes]:
    """Return a machine's seccomp filters by name; raises SandboxUnavailable if there are none."""
    if machine not in FILTERS:
        known = " and ".join(FILTERS)
        raise SandboxUnavailable(f"there are seccomp filters for {known}, none for {machine}")
    return FILTERS[machine]


def withdraw(launcher: str, control: int, parent: int) -> bool:
    """Leave the host's environment, users, processes and files; return whether the root is empty.

    It may return in another process: the first one of new namespaces.
    """
    _forget_environment()
    match launcher:
        case "namespaces":
            _become_nobody()
            _enter_namespaces(control, parent)
            return True
        case "bubblewrap":
            return _succeeds(_empty_the_root_again)
        case _:
            is_empty = _succeeds(_enter_a_folder_of_the_dead)
            _become_nobody()
            kernel.die_with_parent(parent)
            return is_empty


def _succeeds(action: Callable[[], None]) -> bool:
    """Perform an optional action; return whether the machine allows it."""
    with contextlib.suppress(OSError):
        action()
        return True
    return False


def _forget_environment() -> None:
    """Remove all variables, and wipe the memory that the kernel shows as /proc/PID/environ."""
    os.environ.clear()
    fields = Path("/proc/self/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    start, end = int(fields[47]), int(fields[48])
    ctypes.memset(start, 0, end - start)


def _become_nobody() -> None:
    """Change from root to nobody; does nothing for other users."""
    if os.geteuid() != 0:
        return
    try:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    except PermissionError:
        # A container without the capability to change users. The other layers hold.
        return
    # The change made the process undumpable: /proc/self would be root's, and the maps unwritable.
    kernel.set_dumpable(True)


def _enter_namespaces(control: int, parent: int) -> None:
    """Return in the first process of new namespaces; this one waits for its end and exits."""
    _unshare(kernel.ALL_NAMESPACES)
    inside = os.fork()
    if inside:
        os.close(control)
        # Entering a user namespace has cleared the parent-death signal and given all capabilities.
        kernel.die_with_parent(parent)
        kernel.drop_capabilities()
        kernel.forbid_new_privileges()
        kernel.set_dumpable(False)
        _, status = os.waitpid(inside, 0)
        os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
    kernel.die_with_parent(0)
    kernel.enter_empty_root()


def _empty_the_root_again() -> None:
    """Enter an empty root inside bubblewrap, whose root holds the files that Python needed."""
    _unshare(kernel.CLONE_NEWUSER | kernel.CLONE_NEWNS)
    kernel.enter_empty_root()


def _unshare(namespaces: int) -> None:
    user, group = os.geteuid(), os.getegid()
    kernel.unshare(namespaces)
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{NOBODY} {user} 1"),
        ("gid_map", f"{NOBODY} {group} 1"),
    ):
        Path(f"/proc/self/{name}").write_text(text, encoding="ascii")


def _enter_a_folder_of_the_dead() -> None:
    """Change the root to a folder of an ended process in /proc, which is empty forever.

    For root without namespaces.
    """
    zygote = os.getpid()
    ending = os.fork()
    if not ending:
        kernel.die_with_parent(zygote)
        signal.pause()
    try:
        os.chroot(f"/proc/{ending}/fdinfo")
        os.chdir("/")
    finally:
        os.kill(ending, signal.SIGKILL)
        os.waitpid(ending, 0)


def close_up(launcher: str, machine: str, trial: trials.Trial, *, empty_root: bool) -> Layers:
    """Apply the layers that need no privilege, for good, and try each; return all layers.

    Raises RuntimeError if one without which nothing may run doesn't hold.
    """
    if launcher != "bare":
        trial.require("namespaces")
    empty_root = empty_root and trial.holds("empty root")
    limits.limit_always()
    trial.require("resource limits")
    kernel.drop_capabilities()
    trial.require("no capabilities")
    kernel.forbid_new_privileges()
    trial.require("no new privileges")
    fixed_addresses = kernel.keeps_addresses()
    landlock = kernel.deny_all_files_and_network()
    held = [trial.holds(f"Landlock {since}") for since in trials.LANDLOCK if since <= landlock]
    kernel.set_dumpable(False)
    trial.close()
    kernel.SeccompFilter(filters_for(machine)["zygote"]).load()
    if not (kernel.has_seccomp_filter() and kernel.has_no_new_privileges()):
        raise RuntimeError("seccomp or no_new_privs is missing")
    return Layers(
        launcher=launcher,
        namespaces=launcher != "bare",
        empty_root=empty_root,
        landlock=landlock if all(held) else 0,
        fixed_addresses=fixed_addresses,
        user=os.geteuid(),
    )


def machine() -> str:
    """Return the kernel's name of this machine's instruction set."""
    return os.uname().machine
