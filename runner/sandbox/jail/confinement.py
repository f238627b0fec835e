"""The layers of confinement around a zygote and its children, and checks that they hold."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import signal
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from runner.sandbox.jail import kernel
from runner.sandbox.jail.filters_generated import FILTERS
from runner.sandbox.programs import SandboxUnavailable

NOBODY = 65_534

# The first version that also confines signals and abstract sockets.
_LANDLOCK_OF_ALL = 6
_NO_NAMESPACES = (
    "no namespaces of its own: the host's processes, network and mounts are there, and only the "
    "other layers keep programs from them (allow user namespaces, or install bubblewrap)"
)
_NO_EMPTY_ROOT = "no empty root: the host's files are there, and only the other layers hide them"
_NO_LANDLOCK = (
    "no Landlock: files and TCP are refused by seccomp alone (Linux 5.13 or newer has it)"
)
_OLD_LANDLOCK = "an old Landlock: files are refused twice, but TCP or signals by seccomp alone"
_ROOT = "to the host it is root, without capabilities: it owns root's files, were they in reach"


@dataclass(frozen=True, slots=True)
class Layers:
    """The layers around a zygote and its children; `user` is their user id on the host."""

    launcher: str
    namespaces: bool
    empty_root: bool
    landlock: int
    seccomp: bool
    no_new_privileges: bool
    capabilities_dropped: bool
    user: int
    # The launchers that were tried before, each with the reason why it didn't work.
    refused: tuple[str, ...] = ()

    def missing(self) -> str:
        """Return the missing layers without which nothing may run; empty if there are none."""
        needed = {
            "seccomp": self.seccomp,
            "no_new_privs": self.no_new_privileges,
            "dropping capabilities": self.capabilities_dropped,
        }
        return ", ".join(name for name, holds in needed.items() if not holds)

    def lost(self) -> list[str]:
        """Return the layers that the host doesn't provide, each with what that means."""
        return [lost for holds, _, lost in self._facts() if lost and not holds]

    def lines(self) -> list[str]:
        """Return everything as lines of text."""
        held = [held for holds, held, _ in self._facts() if holds and held]
        return [
            f"available, started through: {self.launcher}",
            f"held by: {'; '.join(held)}",
            *(f"lost: {loss}" for loss in self.lost()),
            *(f"refused: {reason}" for reason in self.refused),
        ]

    def _facts(self) -> tuple[tuple[object, str, str], ...]:
        """Return for each layer whether it holds, its description, and the text if it doesn't."""
        namespaces = "own user, pid, network, mount, ipc, uts and cgroup namespaces"
        is_recent = self.landlock >= _LANDLOCK_OF_ALL or not self.landlock
        return (
            (self.namespaces, namespaces, _NO_NAMESPACES),
            (self.empty_root, "an empty root", _NO_EMPTY_ROOT),
            (self.landlock, f"Landlock {self.landlock}", _NO_LANDLOCK),
            (is_recent, "", _OLD_LANDLOCK),
            (self.seccomp, "seccomp filters", ""),
            (True, "resource limits", ""),
            (self.no_new_privileges, "no new privileges", ""),
            (self.capabilities_dropped, "no capabilities", ""),
            (True, f"user {self.user}", ""),
            (self.user, "", _ROOT),
        )


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


def close_up(launcher: str, machine: str, *, empty_root: bool) -> Layers:
    """Apply the layers that need no privilege, for good; return all layers."""
    filters = filters_for(machine)
    kernel.drop_capabilities()
    kernel.forbid_new_privileges()
    landlock = kernel.deny_all_files_and_network()
    kernel.set_dumpable(False)
    kernel.SeccompFilter(filters["zygote"]).load()
    return Layers(
        launcher=launcher,
        namespaces=launcher != "bare",
        empty_root=empty_root,
        landlock=landlock,
        seccomp=kernel.has_seccomp_filter(),
        no_new_privileges=kernel.has_no_new_privileges(),
        capabilities_dropped=True,
        user=os.geteuid(),
    )


_ATTEMPTS: dict[str, Callable[[], object]] = {
    "open a file": lambda: os.open("/", os.O_RDONLY),
    "open a socket": lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM),
    "start a process": os.fork,
    "make a descriptor": os.pipe,
    "copy a descriptor": lambda: os.dup2(3, 4),
    "write beside the pipe": lambda: os.write(1, b""),
    "send a signal": lambda: os.kill(os.getpid(), 0),
    "handle a signal": lambda: signal.signal(signal.SIGPROF, signal.SIG_IGN),
}
# The escapes of a child that should be confined, by its exit code.
ESCAPES = ("", *_ATTEMPTS, "not be confined")


def find_escape() -> int:
    """Try all escapes in a confined child; return the index in ESCAPES of the first, or 0."""
    for code, attempt in enumerate(_ATTEMPTS.values(), start=1):
        try:
            attempt()
        except OSError as refused:
            if refused.errno == errno.EPERM:
                continue
        return code
    return 0


def machine() -> str:
    """Return the kernel's name of this machine's instruction set."""
    return os.uname().machine
