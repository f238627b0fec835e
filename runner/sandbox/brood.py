"""Programs that differ in their last module only: the others are loaded once, for all of them."""

from __future__ import annotations

import math
import select
import socket
import struct
from collections import deque
from collections.abc import Callable

from runner.sandbox import kernel
from runner.sandbox.codes import CodeCache
from runner.sandbox.handles import BornChild, Child
from runner.sandbox.messages import ANSWER, MOST_BORN_AT_ONCE, REQUEST
from runner.sandbox.programs import Program, SandboxBroken
from runner.sandbox.protocol import Usage
from runner.sandbox.supervision import Run

_ANSWER_SECONDS = 2.0
# Of forks that a child of the parent has tried to make.
_MOST_REFUSALS = 100


class Brood:
    """A parent that loads what some programs share, and the runs of these in its children."""

    def __init__(
        self, program: Program, parent: Child, codes: CodeCache, numbers: Callable[[int], int]
    ) -> None:
        self._shared = shared_by(program)
        self._parent = parent
        # Beside all others of the pool, as one's children are looked for among another's.
        self._numbers = numbers
        self._codes = codes
        self._listener: int | None = None
        self._at_once = 1
        self._waiting: deque[Child] = deque()
        self._running: dict[int, Run] = {}
        self._has_failed = False
        loading = Program(program.modules[:-1], "load", program.subject, program.limits)
        self._load = Run(loading, parent, codes)
        self._has_failed = self._load.send() is not None

    def is_for(self, program: Program) -> bool:
        """Whether a program shares its modules and limits."""
        return shared_by(program) == self._shared

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
        if self._load.is_killed:
            self.fail()

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
            _, listeners, _, _ = socket.recv_fds(self._parent.pipe, 1, 1, socket.MSG_CMSG_CLOEXEC)
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
            ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        first = self._numbers(count)
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
            self._waiting.append(BornChild(number, ours, self._parent))

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
            self._parent.pipe.sendall(REQUEST.pack(run.child.ident))
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

    def close(self) -> int | None:
        """End the parent, and with it its children; gives what tells when all have ended."""
        self._parent.kill()
        self._parent.close()
        for child in self._waiting:
            child.close()
        listener, self._listener = self._listener, None
        return listener


def shared_by(program: Program) -> tuple[object, ...]:
    """What programs have in common that can be run from one parent."""
    return (program.entry, program.subject, program.limits, program.modules[:-1])
