"""How the supervisor holds on to a process: its pipe, who it is, and the right to kill it."""

from __future__ import annotations

import contextlib
import functools
import os
import select
import signal
import socket
import time
from array import array
from collections.abc import Sequence
from pathlib import Path

from runner.sandbox.supervisor.messages import EXIT_NO_PROGRAM, EXIT_UNCONFINED

_LONGEST_PIECE = 65_536
_SEND_SECONDS = 10.0
_ENDS = {EXIT_UNCONFINED: "it could not confine itself", EXIT_NO_PROGRAM: "it got no program"}


def send_handles(pipe: socket.socket, message: bytes, handles: Sequence[int]) -> int:
    """Write a message that carries descriptors; raises OSError if that isn't possible at once."""
    # `socket.send_fds` and `recv_fds` pay no heed to flags.
    rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array("i", handles))
    return pipe.sendmsg([message], [rights], socket.MSG_DONTWAIT)


def receive_handles(pipe: socket.socket, longest: int, most: int) -> tuple[bytes, array[int]]:
    """Return a message and its descriptors; raises BlockingIOError when there is none yet."""
    handles = array("i")
    space = socket.CMSG_LEN(most * handles.itemsize)
    flags = socket.MSG_DONTWAIT | socket.MSG_CMSG_CLOEXEC
    message, ancillary, _, _ = pipe.recvmsg(longest, space, flags)
    for _, _, told in ancillary:
        handles.frombytes(told)
    return message, handles


def is_readable(descriptor: int, seconds: float) -> bool:
    """Wait so long at most until there is something to read."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(max(0.0, seconds) * 1000))


def described(status: int | None) -> str:
    """How a process ended, in words."""
    if status is None:
        return "nobody tells how"
    if os.WIFSIGNALED(status):
        return signal_name(os.WTERMSIG(status))
    code = os.WEXITSTATUS(status)
    return _ENDS.get(code, f"exit code {code}")


def signal_name(number: int) -> str:
    return signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"


class Process:
    """A process that waits for its program: the other end of its pipe, and a handle to kill it.

    The handle comes once it has been forked; nobody is given one that has none.
    """

    def __init__(self, number: int, pipe: socket.socket) -> None:
        self.number = number
        self.pipe = pipe
        self.handle: int | None = None
        self.is_warm = False

    def receive(self) -> bytes:
        """Return what it has written; raises BlockingIOError when that is nothing yet."""
        return self.pipe.recv(_LONGEST_PIECE, socket.MSG_DONTWAIT)

    def cpu_us(self) -> int | None:
        """Return the CPU time it has used so far; None if it has ended."""
        if self.handle is None or self.pid is None:
            return None
        try:
            # As the kernel numbers the clock of another process's scheduled time.
            used = time.clock_gettime_ns(~self.pid << 3 | 2) // 1000
            # Else that was another's.
            signal.pidfd_send_signal(self.handle, 0)
        except OSError:
            return None
        return used

    def peak_bytes(self) -> int | None:
        """Return the most memory that was resident; None if the machine doesn't tell."""
        try:
            # Not through a `Path`, which takes longer than the kernel does.
            with open(f"/proc/{self.pid}/status", "rb", buffering=0) as told:  # noqa: PTH123
                status = told.read(_LONGEST_PIECE)
            return int(status.partition(b"VmHWM:")[2].split()[0]) * 1024
        except (OSError, IndexError, ValueError):
            return None

    @functools.cached_property
    def pid(self) -> int | None:
        """What it is called where we are; None if it has ended."""
        with contextlib.suppress(OSError, ValueError, IndexError):
            told = Path(f"/proc/self/fdinfo/{self.handle}").read_text(encoding="ascii")
            pid = int(told.partition("Pid:")[2].split()[0])
            return pid if pid > 0 else None
        return None

    def send(self, content: bytes, handles: Sequence[int]) -> None:
        """Write to it, descriptors included; raises OSError if it doesn't read that in time."""
        try:
            sent = send_handles(self.pipe, content, handles)
        except BlockingIOError:
            raise OSError("its pipe is full") from None
        if sent < len(content):
            self.pipe.settimeout(_SEND_SECONDS)
            self.pipe.sendall(content[sent:])
            self.pipe.settimeout(None)

    def ends_within(self, seconds: float) -> bool:
        """Wait for its end for so long; tells whether it has come."""
        return self.handle is not None and is_readable(self.handle, seconds)

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            if self.handle is not None:
                signal.pidfd_send_signal(self.handle, signal.SIGKILL)

    def close(self) -> None:
        """Give up pipe and handle."""
        self.pipe.close()
        if self.handle is not None:
            os.close(self.handle)
            self.handle = None
