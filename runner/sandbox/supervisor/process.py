"""How the supervisor holds on to a process: its pipe, who it is, and the right to kill it."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import struct
import time
from array import array
from collections.abc import Sequence
from pathlib import Path

_LONGEST_PIECE = 65_536
_HANDLE = struct.Struct("=i")


def send_handles(pipe: socket.socket, message: bytes, handles: Sequence[int]) -> int:
    """Write a message that carries descriptors; raises OSError if that isn't possible at once."""
    # `socket.send_fds` and `recv_fds` pay no heed to flags.
    rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array("i", handles))
    return pipe.sendmsg([message], [rights], socket.MSG_DONTWAIT)


def receive_handles(pipe: socket.socket, longest: int, most: int) -> tuple[bytes, list[int]]:
    """Return a message and its descriptors; raises BlockingIOError when there is none yet."""
    space = socket.CMSG_LEN(most * _HANDLE.size)
    flags = socket.MSG_DONTWAIT | socket.MSG_CMSG_CLOEXEC
    message, ancillary, _, _ = pipe.recvmsg(longest, space, flags)
    handles: list[int] = []
    for _, kind, told in ancillary:
        if kind == socket.SCM_RIGHTS:
            handles += [handle for (handle,) in _HANDLE.iter_unpack(told)]
    return message, handles


class Process:
    """A process that waits for its program: the other end of its pipe, and a handle to kill it."""

    def __init__(self, number: int, pipe: socket.socket) -> None:
        self.number = number
        self.pipe = pipe
        self.handle: int | None = None
        self.is_warm = False
        self._is_doomed = False
        self._pid: int | None = None

    def attach(self, handle: int) -> None:
        """Take the handle; what should have been done with it before is done now."""
        self.handle = handle
        if self._is_doomed:
            self.kill()
        if self.pipe.fileno() < 0:
            self.close()

    def receive(self) -> bytes:
        """Return what it has written; raises BlockingIOError when that is nothing yet."""
        return self.pipe.recv(_LONGEST_PIECE, socket.MSG_DONTWAIT)

    def cpu_us(self) -> int | None:
        """Return the CPU time it has used so far; None if it has ended, or isn't known yet."""
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
            told = os.open(f"/proc/{self.pid}/status", os.O_RDONLY | os.O_CLOEXEC)
            try:
                status = os.read(told, _LONGEST_PIECE)
            finally:
                os.close(told)
            return int(status.partition(b"VmHWM:")[2].split()[0]) * 1024
        except (OSError, IndexError, ValueError):
            return None

    @property
    def pid(self) -> int | None:
        """What it is called where we are; None if it has ended, or isn't known yet."""
        if self._pid is None:
            with contextlib.suppress(OSError, ValueError, IndexError):
                told = Path(f"/proc/self/fdinfo/{self.handle}").read_text(encoding="ascii")
                pid = int(told.partition("Pid:")[2].split()[0])
                self._pid = pid if pid > 0 else None
        return self._pid

    def send(self, content: bytes, handles: Sequence[int], seconds: float) -> None:
        """Write to it, descriptors included; raises OSError if it doesn't read that in time."""
        try:
            sent = send_handles(self.pipe, content, handles)
        except BlockingIOError:
            raise OSError("its pipe is full") from None
        if sent < len(content):
            self.pipe.settimeout(seconds)
            self.pipe.sendall(content[sent:])
            self.pipe.settimeout(None)

    def ends_within(self, seconds: float) -> bool:
        """Wait for its end for so long; tells whether it has come."""
        if self.handle is None:
            return False
        poll = select.poll()
        poll.register(self.handle, select.POLLIN)
        return bool(poll.poll(seconds * 1000))

    def kill(self) -> None:
        """Kill it now, or as soon as its handle is there."""
        self._is_doomed = True
        with contextlib.suppress(ProcessLookupError):
            if self.handle is not None:
                signal.pidfd_send_signal(self.handle, signal.SIGKILL)

    def close(self) -> None:
        """Give up pipe and handle."""
        self.pipe.close()
        if self.handle is not None:
            os.close(self.handle)
            self.handle = None
