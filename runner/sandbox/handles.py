"""How the supervisor holds on to a process: its pipe, who it is, and the right to kill it."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import struct
import time
from array import array
from pathlib import Path

_LONGEST_PIECE = 65_536
_LONGEST_STAT = 4_096
_HANDLE = struct.Struct("=i")
_CREDENTIALS = struct.Struct("=iII")
_CREDENTIALS_SPACE = socket.CMSG_SPACE(_CREDENTIALS.size)


def send_handles(pipe: socket.socket, message: bytes, handles: list[int]) -> None:
    """Write a message that carries descriptors; raises OSError if that isn't possible at once."""
    # `socket.send_fds` and `recv_fds` pay no heed to flags.
    rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array("i", handles))
    pipe.sendmsg([message], [rights], socket.MSG_DONTWAIT)


def receive_handles(pipe: socket.socket, longest: int, most: int) -> tuple[bytes, list[int]]:
    """A message and its descriptors; raises BlockingIOError when there is none yet."""
    space = socket.CMSG_LEN(most * _HANDLE.size)
    flags = socket.MSG_DONTWAIT | socket.MSG_CMSG_CLOEXEC
    message, ancillary, _, _ = pipe.recvmsg(longest, space, flags)
    handles: list[int] = []
    for _, kind, told in ancillary:
        if kind == socket.SCM_RIGHTS:
            handles += [handle for (handle,) in _HANDLE.iter_unpack(told)]
    return message, handles


class Child:
    """A process that waits for its program: the other end of its pipe, and a handle to kill it."""

    def __init__(self, ident: int, pipe: socket.socket) -> None:
        self.ident = ident
        self.pipe = pipe
        self.process: int | None = None
        self.is_warm = False
        self._is_doomed = False
        self._pid: int | None = None

    def meet(self, process: int) -> None:
        """Take the handle to it; what should have been done with that before is done now."""
        self.process = process
        if self._is_doomed:
            self.kill()
        if self.pipe.fileno() < 0:
            self.close()

    def receive(self) -> bytes:
        """What it has written; raises BlockingIOError when that is nothing yet."""
        return self.pipe.recv(_LONGEST_PIECE, socket.MSG_DONTWAIT)

    def cpu_us(self) -> int | None:
        """The CPU time it has used so far; None if it has ended, or isn't known yet."""
        if self.process is None or self.pid is None:
            return None
        try:
            # As the kernel numbers the clock of another process's scheduled time.
            used = time.clock_gettime_ns(~self.pid << 3 | 2) // 1000
            # Else that was another's.
            signal.pidfd_send_signal(self.process, 0)
        except OSError:
            return None
        return used

    @property
    def pid(self) -> int | None:
        """What it is called where we are; None if it has ended, or isn't known yet."""
        if self._pid is None:
            with contextlib.suppress(OSError, ValueError, IndexError):
                told = Path(f"/proc/self/fdinfo/{self.process}").read_text(encoding="ascii")
                pid = int(told.partition("Pid:")[2].split()[0])
                self._pid = pid if pid > 0 else None
        return self._pid

    def send(self, content: bytes, seconds: float) -> None:
        """Write to it; raises OSError if it doesn't read that in time."""
        sent = 0
        with contextlib.suppress(BlockingIOError):
            sent = self.pipe.send(content, socket.MSG_DONTWAIT)
        if sent < len(content):
            self.pipe.settimeout(seconds)
            self.pipe.sendall(content[sent:])
            self.pipe.settimeout(None)

    def kill(self) -> None:
        """Kill it now, or as soon as it is known."""
        self._is_doomed = True
        self.signal(signal.SIGKILL)

    def signal(self, number: signal.Signals) -> bool:
        """Whether there was somebody to be sent it."""
        with contextlib.suppress(ProcessLookupError):
            if self.process is not None:
                signal.pidfd_send_signal(self.process, number)
                return True
        return False

    def close(self) -> None:
        self.pipe.close()
        if self.process is not None:
            os.close(self.process)
            self.process = None


class BornChild(Child):
    """A child of a parent; the kernel tells who it is, as its parent might lie."""

    def __init__(self, ident: int, pipe: socket.socket, parent: Child) -> None:
        super().__init__(ident, pipe)
        self._parent = parent

    def receive(self) -> bytes:
        if self.process is not None:
            return super().receive()
        received, ancillary, _, _ = self.pipe.recvmsg(
            _LONGEST_PIECE, _CREDENTIALS_SPACE, socket.MSG_DONTWAIT
        )
        for _, kind, told in ancillary:
            pid = _CREDENTIALS.unpack(told)[0] if kind == socket.SCM_CREDENTIALS else 0
            if pid > 0:
                with contextlib.suppress(ProcessLookupError):
                    self._recognise(pid, os.pidfd_open(pid))
        return received

    def _recognise(self, pid: int, process: int) -> None:
        """Whoever wrote may have ended since, and anyone have that number."""
        try:
            above: int | None = _who_started(pid)
        except OSError:
            # It has ended, or this machine hides those of others.
            above = self._parent.pid
        if above is not None and above == self._parent.pid:
            self.meet(process)
        else:
            os.close(process)


def _who_started(pid: int) -> int:
    # For each child that is born, so without a `Path` and a stream.
    told = os.open(f"/proc/{pid}/stat", os.O_RDONLY | os.O_CLOEXEC)
    try:
        return int(os.read(told, _LONGEST_STAT).rpartition(b")")[2].split()[1])
    finally:
        os.close(told)
