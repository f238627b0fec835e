"""Tries each layer of confinement: a child attempts what the layer forbids, and must be stopped.

Each layer is tried as soon as it is applied, before the next one, which might stop the same. So a
layer that only claims to hold is found out. All attempts are harmless if they succeed.
"""

from __future__ import annotations

import errno
import os
import signal
import socket
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from runner.sandbox.jail import kernel

# Succeeds, or raises OSError or MemoryError.
Attempt = Callable[[], object]

# A process may have such a number inside new namespaces, too.
_LOW_PIDS = 64
_BIG = 64 << 20
_NO_FILE = frozenset(
    {errno.EACCES, errno.ENOENT, errno.EOPNOTSUPP, errno.EROFS, errno.ENOTDIR, errno.ESRCH}
)
_DENIED = frozenset({errno.EACCES})
_REFUSED = frozenset({errno.EPERM})
_UNREACHABLE = frozenset({errno.ECONNREFUSED})
_UNCONFINED = 255


def _list_root() -> None:
    if not any(Path("/").iterdir()):
        raise FileNotFoundError(errno.ENOENT, "empty")


def _write_beyond_limit() -> None:
    file = os.memfd_create("trial")
    try:
        os.write(file, b"x")
    finally:
        os.close(file)


def _rename_host() -> None:
    socket.sethostname(socket.gethostname())


def _change_user() -> None:
    os.setuid(0 if os.geteuid() else 1)


def _bind_port() -> None:
    with socket.socket() as unbound:
        unbound.bind(("127.0.0.1", 0))


def _open_socket() -> None:
    socket.socket(socket.AF_INET, socket.SOCK_STREAM)


def _take_memory() -> None:
    bytes(_BIG)


# The first versions of Landlock that confine more: all files, TCP, signals and abstract sockets.
LANDLOCK = (1, 4, 6)
# By layer: what is attempted, and the errors that mean it was stopped. Attempts that need to know
# something of the host are added by `Trial`.
ATTEMPTS: dict[str, dict[str, tuple[Attempt, frozenset[int]]]] = {
    "namespaces": {},
    "empty root": {
        "list the root folder": (_list_root, _NO_FILE),
        "read /etc/passwd": (lambda: os.open("/etc/passwd", os.O_RDONLY), _NO_FILE),
        "create a file": (lambda: os.open("/", os.O_TMPFILE | os.O_RDWR), _NO_FILE),
    },
    "resource limits": {
        "write to a file": (_write_beyond_limit, frozenset({errno.EFBIG})),
    },
    "no capabilities": {
        "change the root folder": (lambda: os.chroot("/"), _REFUSED | _NO_FILE),
        "name the host": (_rename_host, _REFUSED),
        "become another user": (_change_user, _REFUSED | {errno.EINVAL}),
    },
    "no new privileges": {
        "allow new privileges": (kernel.allow_new_privileges, frozenset({errno.EINVAL})),
    },
    # Root without namespaces is in a folder that nobody can open, with or without Landlock.
    "Landlock 1": {"open the root folder": (lambda: os.open("/", os.O_RDONLY), _NO_FILE)},
    "Landlock 4": {"listen at a port": (_bind_port, _DENIED)},
    "Landlock 6": {},
    "seccomp": {
        "open a file": (lambda: os.open("/", os.O_RDONLY), _REFUSED),
        "open a socket": (_open_socket, _REFUSED),
        "start a process": (os.fork, _REFUSED),
        "make a descriptor": (os.pipe, _REFUSED),
        "copy a descriptor": (lambda: os.dup2(3, 4), _REFUSED),
        "write beside the pipe": (lambda: os.write(1, b""), _REFUSED),
        "send a signal": (lambda: os.kill(os.getpid(), 0), _REFUSED),
        "handle a signal": (lambda: signal.signal(signal.SIGPROF, signal.SIG_IGN), _REFUSED),
    },
    "attacks": {"start a program": (lambda: os.execv("/trial", ["trial"]), frozenset())},
    "memory limit": {"take more memory": (_take_memory, frozenset({errno.ENOMEM}))},
}
# The layers that end a process instead of refusing a call.
ENDED_BY = {"attacks": signal.SIGSYS}


class Trial:
    """Makes attempts, and counts them; `outside` is the name of a socket outside of all layers."""

    def __init__(self, starter: int, outside: str) -> None:
        self.attempts = 0
        self._began = time.monotonic()
        # Landlock confines connections to sockets from before it was applied.
        self._before = socket.socket(socket.AF_UNIX)
        self._before.bind("")
        self._before.listen()
        self._more = {
            "namespaces": _reaching(starter, outside, frozenset({errno.ESRCH}), _UNREACHABLE),
            "Landlock 6": _reaching(
                starter, self._before.getsockname(), _REFUSED | {errno.ESRCH}, _REFUSED
            ),
        }

    @property
    def milliseconds(self) -> float:
        """The time since this trial began."""
        return round((time.monotonic() - self._began) * 1000, 1)

    def close(self) -> None:
        self._before.close()

    def holds(self, layer: str) -> bool:
        """Return whether a layer stops all that it should."""
        return not self.find_escape(layer)

    def require(self, layer: str, prepare: Callable[[], None] = lambda: None) -> None:
        """Raise RuntimeError if a layer doesn't stop all that it should."""
        if escape := self.find_escape(layer, prepare):
            raise RuntimeError(f"confinement doesn't hold: a child could {escape}")

    def find_escape(self, layer: str, prepare: Callable[[], None] = lambda: None) -> str:
        """Make a layer's attempts in a child after `prepare`; return the first that succeeds."""
        attempts = ATTEMPTS[layer] | self._more.get(layer, {})
        self.attempts += len(attempts)
        child = os.fork()
        if not child:
            _attempt_all([*attempts.values()], prepare)
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) == ENDED_BY.get(layer):
            return ""
        names = ["", *attempts]
        code = os.waitstatus_to_exitcode(status)
        return names[code] if 0 <= code < len(names) else "not be confined"


def _reaching(
    starter: int, address: str | bytes, unseen: frozenset[int], unreachable: frozenset[int]
) -> dict[str, tuple[Attempt, frozenset[int]]]:
    """Return attempts to reach a process and a socket, with the errors that are wanted."""

    def connect() -> None:
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(address)

    attempts: dict[str, tuple[Attempt, frozenset[int]]] = {
        "connect to a socket outside": (connect, unreachable)
    }
    if starter < _LOW_PIDS:
        return attempts
    return attempts | {"signal a process outside": (lambda: os.kill(starter, 0), unseen)}


def _attempt_all(
    attempts: Sequence[tuple[Attempt, frozenset[int]]], prepare: Callable[[], None]
) -> NoReturn:
    """Exit with the place of the first attempt that isn't stopped, from 1; 0 if all are."""
    code = _UNCONFINED
    try:
        prepare()
        for code, (attempt, wanted) in enumerate(attempts, 1):  # noqa: B007 - used at the end
            try:
                attempt()
            except OSError as stopped:
                if stopped.errno in wanted:
                    continue
            except MemoryError:
                if errno.ENOMEM in wanted:
                    continue
            break
        else:
            code = 0
    finally:
        os._exit(code)
