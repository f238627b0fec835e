"""The layers around the zygote: user, namespaces, empty root, capabilities, Landlock, seccomp."""

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

# The first version that also keeps signals and abstract sockets within the domain.
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
    """What holds around a zygote and its children; `user` is who they are to the host."""

    launcher: str
    namespaces: bool
    empty_root: bool
    landlock: int
    seccomp: bool
    no_new_privileges: bool
    capabilities_dropped: bool
    user: int
    # The ways to start that were tried before, each with why it didn't work.
    refused: tuple[str, ...] = ()

    def missing(self) -> str:
        """What is lacking of the least that must hold; "" when nothing is."""
        needed = {
            "seccomp": self.seccomp,
            "no_new_privs": self.no_new_privileges,
            "dropping capabilities": self.capabilities_dropped,
        }
        return ", ".join(name for name, holds in needed.items() if not holds)

    def lost(self) -> list[str]:
        """What the host doesn't provide of all that could hold, and what that means."""
        return [lost for holds, _, lost in self._facts() if lost and not holds]

    def lines(self) -> list[str]:
        """All of it, for people."""
        held = [held for holds, held, _ in self._facts() if holds and held]
        return [
            f"available, started through: {self.launcher}",
            f"held by: {'; '.join(held)}",
            *(f"lost: {loss}" for loss in self.lost()),
            *(f"refused: {reason}" for reason in self.refused),
        ]

    def _facts(self) -> tuple[tuple[object, str, str], ...]:
        """Of each layer: whether it holds, what it is, and what it means that it doesn't."""
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
    """The seccomp filters of a machine; raises SandboxUnavailable where there are none."""
    if machine not in FILTERS:
        known = " and ".join(FILTERS)
        raise SandboxUnavailable(f"there are seccomp filters for {known}, none for {machine}")
    return FILTERS[machine]


def withdraw(launcher: str, control: int, parent: int) -> bool:
    """Leave the host's environment, users, processes and files; tells whether the root is empty.

    Afterwards this process may be another: the first one of fresh namespaces.
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
    """Whether the machine allows what is worth having, but isn't needed."""
    with contextlib.suppress(OSError):
        action()
        return True
    return False


def _forget_environment() -> None:
    """Drop every variable, and wipe the memory that the kernel shows as /proc/PID/environ."""
    os.environ.clear()
    fields = Path("/proc/self/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    start, end = int(fields[47]), int(fields[48])
    ctypes.memset(start, 0, end - start)


def _become_nobody() -> None:
    """Give up root's identity where there is one to give up."""
    if os.geteuid() != 0:
        return
    try:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    except PermissionError:
        # A container without the capability to change users. The other layers hold.
        return
    # The change made us undumpable, so /proc/self would be root's and the maps unwritable.
    kernel.set_dumpable(True)


def _enter_namespaces(control: int, parent: int) -> None:
    """Go on as the first process of fresh namespaces; the present one only waits for its end."""
    _unshare(kernel.ALL_NAMESPACES)
    inside = os.fork()
    if inside:
        os.close(control)
        # Entering a user namespace has cleared it, and has given every capability in there.
        kernel.die_with_parent(parent)
        kernel.drop_capabilities()
        kernel.forbid_new_privileges()
        kernel.set_dumpable(False)
        _, status = os.waitpid(inside, 0)
        os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
    kernel.die_with_parent(0)
    kernel.enter_empty_root()


def _empty_the_root_again() -> None:
    """Inside bubblewrap, whose root holds what Python was started from."""
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
    """Without namespaces, but with root's right to change the root folder.

    What /proc shows of a process that has ended is a folder that nothing can ever be in.
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
    """The layers that need no privilege, from now to the end of this process and its children."""
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
# What a child that should be confined could do, by its exit code.
ESCAPES = ("", *_ATTEMPTS, "not be confined")


def find_escape() -> int:
    """From inside a confined child: the place in ESCAPES of the first thing not refused, or 0."""
    for code, attempt in enumerate(_ATTEMPTS.values(), start=1):
        try:
            attempt()
        except OSError as refused:
            if refused.errno == errno.EPERM:
                continue
        return code
    return 0


def machine() -> str:
    """The kernel's name for this machine's instruction set."""
    return os.uname().machine
