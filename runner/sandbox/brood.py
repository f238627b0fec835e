"""Programs that differ in their last module only: the others are loaded once, for all of them."""

from __future__ import annotations

import contextlib
import math
import os
import select
import socket
import struct
from collections import deque

from runner.sandbox import kernel
from runner.sandbox.codes import CodeCache
from runner.sandbox.messages import ANSWER, MOST_BORN_AT_ONCE, REQUEST
from runner.sandbox.nursery import Nursery
from runner.sandbox.programs import Module, Program, SandboxBroken
from runner.sandbox.protocol import Usage
from runner.sandbox.supervision import Child, Run

_ANSWER_SECONDS = 5.0
# Of forks that a child of the parent has tried to make.
_MOST_REFUSALS = 100
# Forking on request costs about as much.
_COSTLY_MICROSECONDS = 700
_SO_PASSCRED = 16
_SCM_CREDENTIALS = 2
_CREDENTIALS = struct.Struct("=iII")


class _Born(Child):
    """A child of a parent; the kernel tells who it is, as its parent might lie."""

    def receive(self) -> bytes:
        if self.process is not None:
            return super().receive()
        received, ancillary, _, _ = self.pipe.recvmsg(262_144, socket.CMSG_SPACE(_CREDENTIALS.size))
        for _, kind, told in ancillary:
            pid = _CREDENTIALS.unpack(told)[0] if kind == _SCM_CREDENTIALS else 0
            if pid > 0:
                try:
                    self.process = os.pidfd_open(pid)
                except ProcessLookupError:
                    break
        return received


class Brood:
    """A parent that loads what some programs share, and the runs of these in its children."""

    def __init__(self, program: Program, parent: Child, codes: CodeCache) -> None:
        self._shared = _shared(program)
        self._parent = parent
        self._codes = codes
        self._listener: int | None = None
        self._born = 0
        self._at_once = 1
        self._waiting: deque[Child] = deque()
        self._running: dict[int, Run] = {}
        self._has_failed = False
        loading = Program(program.modules[:-1], "load", program.subject, program.limits)
        self._load = Run(loading, parent, codes)
        self._has_failed = self._load.send() is not None

    def is_for(self, program: Program) -> bool:
        """Whether a program shares its modules and limits."""
        return _shared(program) == self._shared

    def fileno(self) -> int:
        """Readable while it loads, and there is something to be received; else -1."""
        return -1 if self._has_failed or self._load.loading else self._parent.pipe.fileno()

    @property
    def next_look(self) -> float:
        """When to `look` at how long it loads, on the monotonic clock."""
        return self._load.next_look if self.fileno() >= 0 else math.inf

    def look(self, now: float) -> None:
        """Give it up if its time is over."""
        if now >= self.next_look:
            self._load.look(now)

    @property
    def is_ready(self) -> bool:
        return not self._has_failed and self._load.loading is not None

    def receive(self) -> None:
        """Hear how loading goes on; if it fails, each program will find out alone."""
        if self._listener is None:
            self._receive_listener()
        else:
            self._load.receive()
        if self._load.is_silent:
            self.fail()

    def _receive_listener(self) -> None:
        try:
            _, listeners, _, _ = socket.recv_fds(self._parent.pipe, 1, 1)
        except BlockingIOError:
            return
        except OSError:
            listeners = []
        if listeners:
            self._listener = listeners[0]
        else:
            self.fail()

    def fail(self) -> None:
        """Bear nobody any more."""
        self._has_failed = True
        self._parent.kill()

    def bear(self, program: Program) -> Run:
        """Begin a program in a child; raises SandboxBroken when that can't be had."""
        if not self._waiting:
            self._have_born(self._at_once)
            # The more there have been, the more will come.
            self._at_once = min(2 * self._at_once, MOST_BORN_AT_ONCE)
        child = self._waiting.popleft()
        run = Run(program, child, self._codes, self._load.loading)
        if broken := run.send():
            child.close()
            self.fail()
            raise broken
        self._running[child.ident] = run
        return run

    def _have_born(self, count: int) -> None:
        pairs = [socket.socketpair() for _ in range(count)]
        for ours, _ in pairs:
            ours.setsockopt(socket.SOL_SOCKET, _SO_PASSCRED, 1)
        first = self._born + 1
        self._born += count
        try:
            pipes = [theirs.fileno() for _, theirs in pairs]
            socket.send_fds(self._parent.pipe, [REQUEST.pack(first)], pipes)
            for _ in pairs:
                self._let_fork()
        except OSError as error:
            for ours, _ in pairs:
                ours.close()
            self.fail()
            raise SandboxBroken(f"a parent bears no children: {error}") from error
        finally:
            for _, theirs in pairs:
                theirs.close()
        for number, (ours, _) in enumerate(pairs, first):
            # Beside those of the zygote, whose numbers are positive.
            self._waiting.append(_Born(-number, ours))

    def _let_fork(self) -> None:
        if self._listener is None:
            raise OSError("it has no listener")
        poll = select.poll()
        poll.register(self._listener, select.POLLIN)
        for _ in range(_MOST_REFUSALS):
            events = poll.poll(_ANSWER_SECONDS * 1000)
            if not events or not events[0][1] & select.POLLIN:
                break
            if kernel.let_through(self._listener, self._parent.pid or 0):
                return
        raise OSError("it doesn't fork")

    def ending(self, run: Run) -> tuple[int | None, Usage]:
        """How a child ended that has fallen silent; no status if its parent can't tell."""
        try:
            self._parent.pipe.settimeout(_ANSWER_SECONDS)
            self._parent.pipe.sendall(REQUEST.pack(-run.child.ident))
            told = self._parent.pipe.recv(ANSWER.size, socket.MSG_WAITALL)
            status, *used = ANSWER.unpack(told)
        except (OSError, struct.error):
            self.fail()
            return None, Usage(0, 0)
        return status, Usage(*used)

    @property
    def is_busy(self) -> bool:
        """Whether a child of it runs a program."""
        return bool(self._running)

    def has(self, run: Run) -> bool:
        """Whether a run is one of its children's."""
        return run.child.ident in self._running

    def forget(self, run: Run) -> None:
        """It is over."""
        del self._running[run.child.ident]
        run.child.close()

    def close(self) -> None:
        """End the parent, and with it all its children."""
        self._parent.kill()
        self._parent.close()
        for child in self._waiting:
            child.close()
        if self._listener is not None:
            os.close(self._listener)
            self._listener = None


class Broods:
    """Notices programs that share what they load, one after the other, and has it loaded once.

    The first ones run alone, until a parent is ready, and all do if loading takes no time. So do
    those whose last module comes for the second time, and hasn't been kept: code is kept only of
    where no user code has run before.
    """

    def __init__(self, nursery: Nursery, codes: CodeCache) -> None:
        self._nursery = nursery
        self._codes = codes
        self._present: Brood | None = None
        self._former: list[Brood] = []
        # What was loaded alone, and took long enough.
        self._costly: tuple[object, ...] | None = None

    def bear(self, program: Program) -> Run | None:
        """Begin a program in a child of a parent that is ready for it; None where there is none."""
        if program.entry != "test":
            return None
        brood = self._present
        if brood is not None and brood.is_for(program):
            if brood.is_ready and not self._is_to_be_kept(program.modules[-1]):
                # The zygote has told by now who the parent is.
                self._nursery.catch_up()
                with contextlib.suppress(SandboxBroken):
                    return brood.bear(program)
        elif self._costly is not None and self._costly == _shared(program):
            self._costly = None
            self._retire()
            if parent := self._nursery.ask_for_parent():
                self._present = Brood(program, parent, self._codes)
        return None

    def note(self, run: Run) -> None:
        """A run is over: see whether it took long enough to load what others may share with it."""
        loading, program = run.loading, run.program
        if program.entry == "test" and loading and loading.used.cpu_us >= _COSTLY_MICROSECONDS:
            shared = _shared(program)
            if self._present is None or not self._present.is_for(program):
                self._costly = shared

    def _is_to_be_kept(self, module: Module) -> bool:
        return self._codes.get(module) is None and self._codes.has_missed(module)

    def fileno(self) -> int:
        """Readable when a parent has something to tell; -1 when none has."""
        return self._present.fileno() if self._present else -1

    def receive(self) -> None:
        if self._present:
            self._present.receive()

    @property
    def next_look(self) -> float:
        return self._present.next_look if self._present else math.inf

    def look(self, now: float) -> None:
        """Give up on a parent that loads for too long."""
        if self._present and now >= self._present.next_look:
            self._nursery.catch_up()
            self._present.look(now)

    def of(self, run: Run) -> Brood | None:
        """The one that a run belongs to."""
        broods = (*self._former, self._present)
        return next((brood for brood in broods if brood and brood.has(run)), None)

    def drop(self) -> None:
        """End all parents; no run of their children is under way."""
        self._costly = None
        self._retire()

    def _retire(self) -> None:
        if self._present:
            self._former.append(self._present)
            self._present = None
        for brood in [brood for brood in self._former if not brood.is_busy]:
            self._former.remove(brood)
            # By now the zygote has told how to reach it.
            self._nursery.catch_up()
            brood.close()


def _shared(program: Program) -> tuple[object, ...]:
    return (program.entry, program.subject, program.limits, program.modules[:-1])
