"""The supervisor's handles of a process: its pipe, and a descriptor to measure and kill it."""

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
    """Write a message with descriptors; return the number of bytes. Raises OSError if it blocks."""
    # `socket.send_fds` and `recv_fds` ignore flags.
    rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array("i", handles))
    return pipe.sendmsg([message], [rights], socket.MSG_DONTWAIT)


def receive_handles(pipe: socket.socket, longest: int, most: int) -> tuple[bytes, array[int]]:
    """Return a message and its descriptors; raises BlockingIOError when there is none yet."""
    handles = array("i")
    space = socket.CMSG_LEN(most * handles.itemsize)
    flags = socket.MSG_DONTWAIT | socket.MSG_CMSG_CLOEXEC
    message, ancillary, _, _ = pipe.recvmsg(longest, space, flags)
    for _, _, data in ancillary:
        handles.frombytes(data)
    return message, handles


def is_readable(descriptor: int, seconds: float) -> bool:
    """Wait until there is something to read; false on timeout."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(max(0.0, seconds) * 1000))


def described(status: int | None) -> str:
    """Return a wait status in words."""
    if status is None:
        return "unknown status"
    if os.WIFSIGNALED(status):
        return signal_name(os.WTERMSIG(status))
    code = os.WEXITSTATUS(status)
    return _ENDS.get(code, f"exit code {code}")


def signal_name(number: int) -> str:
    return signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"


class Process:
    """A process of a zygote: the other end of its pipe, and a pidfd as its handle.

    The handle is set once the process has been forked; only then is the process used.
    """

    def __init__(self, number: int, pipe: socket.socket) -> None:
        self.number = number
        self.pipe = pipe
        self.handle: int | None = None
        self.is_warm = False

    def receive(self) -> bytes:
        """Return what the process has written; raises BlockingIOError if that is nothing yet."""
        return self.pipe.recv(_LONGEST_PIECE, socket.MSG_DONTWAIT)

    def cpu_us(self) -> int | None:
        """Return the CPU time of the process so far; None if it has ended."""
        if self.handle is None or self.pid is None:
            return None
        try:
            # The kernel's number for the CPU clock of another process.
            used = time.clock_gettime_ns(~self.pid << 3 | 2) // 1000
            # Fails if the process has ended, because its id may have been reused.
            signal.pidfd_send_signal(self.handle, 0)
        except OSError:
            return None
        return used

    def peak_bytes(self) -> int | None:
        """Return the peak resident memory; None if it is unknown."""
        try:
            # Not a `Path`, which takes longer than the kernel does.
            with open(f"/proc/{self.pid}/status", "rb", buffering=0) as file:  # noqa: PTH123
                status = file.read(_LONGEST_PIECE)
            return int(status.partition(b"VmHWM:")[2].split()[0]) * 1024
        except (OSError, IndexError, ValueError):
            return None

    @functools.cached_property
    def pid(self) -> int | None:
        """The process's id in our namespace; None if it has ended."""
        with contextlib.suppress(OSError, ValueError, IndexError):
            info = Path(f"/proc/self/fdinfo/{self.handle}").read_text(encoding="ascii")
            pid = int(info.partition("Pid:")[2].split()[0])
            return pid if pid > 0 else None
        return None

    def send(self, content: bytes, handles: Sequence[int]) -> None:
        """Write to the process, with descriptors; raises OSError if it doesn't read in time."""
        try:
            sent = send_handles(self.pipe, content, handles)
        except BlockingIOError:
            raise OSError("its pipe is full") from None
        if sent < len(content):
            self.pipe.settimeout(_SEND_SECONDS)
            self.pipe.sendall(content[sent:])
            self.pipe.settimeout(None)

    def ends_within(self, seconds: float) -> bool:
        """Wait for the end of the process; false on timeout."""
        return self.handle is not None and is_readable(self.handle, seconds)

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            if self.handle is not None:
                signal.pidfd_send_signal(self.handle, signal.SIGKILL)

    def close(self) -> None:
        """Close pipe and handle."""
        self.pipe.close()
        if self.handle is not None:
            os.close(self.handle)
            self.handle = None
