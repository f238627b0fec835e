"""Programs that differ in their last module only: the others are loaded once, for all of them."""

from __future__ import annotations

import contextlib
import math
import select
import signal
import socket
import struct
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import NoReturn

from runner.sandbox.codes import CodeCache
from runner.sandbox.handles import BornChild, Child, receive_handles, send_handles
from runner.sandbox.jail import kernel
from runner.sandbox.messages import ANSWER, REQUEST
from runner.sandbox.programs import Program, SandboxBroken
from runner.sandbox.protocol import Usage
from runner.sandbox.supervision import Loading, Run

_ANSWER_SECONDS = 2.0
# Of forks that children of the parent have tried to make, between two of its own.
_MOST_REFUSALS = 100
# Each costs the parent time and memory, of which it has as much as its program.
_MOST_BORN = 500


class Brood:
    """A parent that loads what some programs share, and the runs of these in its children."""

    def __init__(
        self, program: Program, parent: Child, codes: CodeCache, numbers: Callable[[int], int]
    ) -> None:
        self.shared = shared_by(program)
        self._parent = parent
        # Beside all others of the pool, as one's children are looked for among another's.
        self._numbers = numbers
        self._codes = codes
        self._listener: int | None = None
        # Asked for, and not yet let through; there, and waiting for a program.
        self._unborn: deque[Child] = deque()
        self._waiting: deque[Child] = deque()
        self._running: dict[int, Run] = {}
        self._born = 0
        self._refused = 0
        self._is_stopped = False
        # What that took, once it is done.
        self.loaded: Loading | None = None
        loading = replace(
            program, modules=program.modules[:-1], entry="load", seed=b"", arguments=None
        )
        self._load = Run(loading, parent, codes)
        self.has_failed = self._load.send() is not None

    @property
    def is_loading(self) -> bool:
        return self.loaded is None and not self.has_failed

    @property
    def is_known(self) -> bool:
        """Whether the zygote has told who the parent is."""
        return self._parent.process is not None

    @property
    def is_ready(self) -> bool:
        return self.loaded is not None and not self.has_failed

    def fileno(self) -> int:
        """Readable when there is something to `receive`; -1 when nothing is to be expected."""
        if self.is_loading:
            return self._parent.pipe.fileno()
        if self._unborn and self._listener is not None and not self.has_failed:
            return self._listener
        return -1

    @property
    def next_look(self) -> float:
        """When to `look` at how long it loads, on the monotonic clock."""
        return self._load.next_look if self.is_loading else math.inf

    def look(self, now: float) -> None:
        """Give it up if its time is over."""
        if now >= self.next_look:
            self._load.look(now)
        if self._load.is_killed:
            self.fail()

    def receive(self) -> None:
        """Hear how loading goes on, or let a child be born; each fails if it can't be."""
        if not self.is_loading:
            with contextlib.suppress(SandboxBroken):
                self._let_fork()
            return
        if self._listener is None:
            self._receive_listener()
        else:
            self._load.receive()
            self.loaded = self._load.loading
        if self._load.is_silent:
            self.fail()

    def _receive_listener(self) -> None:
        try:
            _, listeners = receive_handles(self._parent.pipe, 1, 1)
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
        self.has_failed = True
        self._parent.kill()

    def bear(self, program: Program, *, is_followed: bool = False) -> Run:
        """Begin a program in a child; raises SandboxBroken when that can't be had.

        Where another one follows, its child is born meanwhile.
        """
        if not self._waiting and not self._unborn:
            self._ask_for_child()
        while not self._waiting:
            self._let_fork()
        if is_followed and not self._unborn and len(self._waiting) == 1:
            self._ask_for_child()
        child = self._waiting.popleft()
        run = Run(program, child, self._codes, self.loaded)
        if broken := run.send():
            child.close()
            self.fail()
            raise broken
        self._running[child.ident] = run
        return run

    def _ask_for_child(self) -> None:
        ours, theirs = socket.socketpair()
        number = self._numbers(1)
        self._unborn.append(BornChild(number, ours, self._parent))
        try:
            with theirs:
                ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
                send_handles(self._parent.pipe, REQUEST.pack(number), [theirs.fileno()])
        except OSError as error:
            self._fail_to_bear(error)

    def _let_fork(self) -> None:
        """Answer the next one that is about to fork; waits for it."""
        try:
            if self._listener is None or not _has_news(self._listener, _ANSWER_SECONDS):
                raise OSError("it doesn't fork")  # noqa: TRY301
            if kernel.let_through(self._listener, self._parent.pid or 0):
                self._refused = 0
                self._born += 1
                self._waiting.append(self._unborn.popleft())
            elif (refused := self._refused + 1) < _MOST_REFUSALS:
                self._refused = refused
            else:
                raise OSError("others fork")  # noqa: TRY301
        except OSError as error:
            self._fail_to_bear(error)

    def _fail_to_bear(self, error: OSError) -> NoReturn:
        self.fail()
        raise SandboxBroken(f"a parent bears no children: {error}") from error

    def rest(self) -> bool:
        """Stop the parent until it `wakes`, so that it does nothing; false if it is of no more use.

        Nobody else may be there: it is only of the parent that all is known.
        """
        others = self._running or self._waiting or self._unborn
        self._is_stopped = (
            self.is_ready
            and not others
            and self._born < _MOST_BORN
            and self._parent.signal(signal.SIGSTOP)
        )
        return self._is_stopped

    def wakes(self) -> bool:
        """Let the parent go on if it has been stopped; false if it has ended meanwhile."""
        if self._is_stopped:
            self._is_stopped = False
            # It has nothing to say, but that it has ended.
            if _has_news(self._parent.pipe, 0) or not self._parent.signal(signal.SIGCONT):
                self.fail()
                return False
        return True

    def ending(self, run: Run) -> tuple[int | None, Usage]:
        """How a child ended that has fallen silent; no status if its parent can't tell."""
        try:
            # It answers in order.
            while self._unborn:
                self._let_fork()
            self._parent.pipe.settimeout(_ANSWER_SECONDS)
            self._parent.pipe.sendall(REQUEST.pack(run.child.ident))
            told = self._parent.pipe.recv(ANSWER.size, socket.MSG_WAITALL)
            self._parent.pipe.settimeout(None)
            status, *used = ANSWER.unpack(told)
        except (OSError, struct.error, SandboxBroken):
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
        for child in (*self._waiting, *self._unborn):
            child.close()
        listener, self._listener = self._listener, None
        return listener


def _has_news(descriptor: int | socket.socket, seconds: float) -> bool:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(seconds * 1000))


def shared_by(program: Program) -> tuple[object, ...]:
    """What programs have in common that can be run from one parent."""
    return (program.entry, program.subject, program.kind, program.limits, program.modules[:-1])
