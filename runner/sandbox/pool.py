"""Runs programs, each in a process of its own, forked ahead from a warm zygote."""

from __future__ import annotations

import contextlib
import os
import select
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import islice
from types import TracebackType
from typing import Self

from runner.sandbox.broods import Broods
from runner.sandbox.codes import CodeCache
from runner.sandbox.jail.confinement import Layers
from runner.sandbox.nursery import Nursery
from runner.sandbox.programs import Cancelled, LogLine, Outcome, Program, SandboxBroken
from runner.sandbox.protocol import Usage
from runner.sandbox.supervision import Run

# A signal that comes in the instant before polling is acted upon after it, and no later than this.
_LONGEST_WAIT_SECONDS = 1.0

# A child may have ended since it was ready, most likely with all others and their zygote.
_TRIES = 2

Concluded = Outcome | SandboxBroken | Cancelled
OnOutput = Callable[[Hashable, Sequence[LogLine]], None]


class Pool:
    """Runs programs, never unconfined; raises SandboxUnavailable where that can't be had.

    One map at a time: another thread's waits until it has ended, one of the same thread is refused.
    """

    def __init__(self, size: int = 1, *, nursery: Nursery | None = None) -> None:
        self._size = size
        self._nursery = nursery or Nursery(ahead=2 * size + 2)
        self._codes = CodeCache()
        self._broods = Broods(self._nursery, self._codes)
        self._turn = threading.Lock()
        # The thread whose turn it is.
        self._mapper: int | None = None
        # Taken by signal handlers as well, whatever they interrupt.
        self._waking = threading.RLock()
        self._owner = os.getpid()
        self._wake = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._unwanted: set[Hashable] = set()
        self._begins_no_more = False
        self._running: dict[int, tuple[Hashable, Run]] = {}
        # By their pipes, those of whom something is still to come.
        self._speaking: dict[int, tuple[Hashable, Run]] = {}
        self._poll = select.poll()
        self._poll.register(self._wake, select.POLLIN)
        self._tidying: threading.Timer | None = None

    @property
    def layers(self) -> Layers | None:
        """What holds around the programs of this pool."""
        return self._nursery.layers

    @property
    def zygote_pid(self) -> int | None:
        """The process whose end ends the zygote and all of its children."""
        return self._nursery.zygote_pid

    def run(
        self,
        program: Program,
        *,
        on_output: Callable[[Sequence[LogLine]], None] | None = None,
    ) -> Outcome:
        """Run one program; raises SandboxBroken if our own machinery failed."""
        relay: OnOutput | None = None
        if on_output is not None:
            take = on_output
            relay = lambda _ident, lines: take(lines)  # noqa: E731
        for _, concluded in self.map([(object(), program)], on_output=relay):
            if isinstance(concluded, Outcome):
                return concluded
            if isinstance(concluded, SandboxBroken):
                raise concluded
        raise SandboxBroken("the run ended without a conclusion")

    def map(
        self,
        programs: Iterable[tuple[Hashable, Program]],
        *,
        on_output: OnOutput | None = None,
    ) -> Iterator[tuple[Hashable, Concluded]]:
        """Run many, up to `size` at once; yields each with its ident as it completes."""
        if os.getpid() != self._owner:
            raise SandboxBroken("a pool belongs to the process that made it, not to its forks")
        if self._mapper == threading.get_ident():
            raise SandboxBroken("this thread has begun another map, and not ended it")
        with self._turn:
            self._mapper = threading.get_ident()
            self._begins_no_more = False
            try:
                yield from self._map(iter(programs), on_output)
            finally:
                self._mapper = None
                self._abandon()

    def cancel(self, ident: Hashable) -> None:
        """Stop a run of the present map, or keep it from starting; callable from any thread."""
        self._unwanted.add(ident)
        self._be_woken()

    def begin_no_more(self) -> None:
        """Cancel what of the present map has not begun; callable from any thread."""
        self._begins_no_more = True
        self._be_woken()

    def _be_woken(self) -> None:
        with self._waking:
            if self._wake >= 0:
                os.eventfd_write(self._wake, 1)

    def close(self) -> None:
        """End the zygote and every child, once another thread's map has ended."""
        is_mine = self._mapper == threading.get_ident()
        with contextlib.nullcontext() if is_mine else self._turn:
            if is_mine:
                self._abandon()
            if self._tidying is not None:
                self._tidying.cancel()
            self._broods.close()
            with self._waking:
                if self._wake >= 0:
                    os.close(self._wake)
                    self._wake = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _map(
        self, programs: Iterator[tuple[Hashable, Program]], on_output: OnOutput | None
    ) -> Iterator[tuple[Hashable, Concluded]]:
        # The one that is next to begin; when it does, also the one after it.
        ahead = deque(islice(programs, 1))
        while True:
            if self._wake < 0:
                raise SandboxBroken("the pool has been closed")
            if over := next((one for one in self._running.values() if one[1].is_over), None):
                ident, run = over
                concluded = run.conclude()
                self._forget(run)
                yield ident, concluded
            elif ahead and (self._begins_no_more or ahead[0][0] in self._unwanted):
                yield ahead.popleft()[0], Cancelled()
                ahead.extend(islice(programs, 1 - len(ahead)))
            elif ahead and self._has_room:
                ahead.extend(islice(programs, 2 - len(ahead)))
                following = [program for _, program in ahead]
                self._broods.expect(*following)
                if self._has_room:
                    ident = ahead.popleft()[0]
                    if known := self._begin(ident, *following):
                        yield ident, known
            elif ahead or self._running:
                # While they work, which hides what it takes.
                self._nursery.replenish(is_idle=not ahead)
                self._attend(on_output)
            else:
                return

    @property
    def _has_room(self) -> bool:
        return len(self._running) + self._broods.is_loading < self._size

    def _begin(
        self, ident: Hashable, program: Program, following: Program | None = None
    ) -> Outcome | SandboxBroken | None:
        if excess := program.excess():
            return excess
        run = self._broods.bear(program, following) or self._begin_alone(program)
        if isinstance(run, SandboxBroken):
            return run
        self._running[run.child.ident] = (ident, run)
        pipe = run.child.pipe.fileno()
        self._speaking[pipe] = (ident, run)
        self._poll.register(pipe, select.POLLIN)
        return None

    def _begin_alone(self, program: Program) -> Run | SandboxBroken:
        failed = None
        for _ in range(_TRIES):
            try:
                run = Run(program, self._nursery.take(), self._codes)
            except SandboxBroken as broken:
                return broken
            failed = run.send()
            if failed is None:
                return run
            # Nothing has begun, so another child may have it.
            self._nursery.forget(run.child)
            self._nursery.catch_up()
        return failed or SandboxBroken("nothing was tried")

    def _attend(self, on_output: OnOutput | None) -> None:
        """Wait for something to happen and see to it."""
        due = self._broods.next_look
        for _, run in self._running.values():
            due = min(due, run.next_look)
        for descriptor in self._wait(due):
            if descriptor in self._speaking:
                ident, run = self._speaking[descriptor]
                _relay(on_output, ident, run.receive())
                if run.is_silent:
                    self._listen_no_more(descriptor)
            elif descriptor == self._wake:
                self._kill_unwanted()
            elif descriptor == self._broods.fileno():
                self._broods.receive()
        now = time.monotonic()
        if now >= due:
            self._look(now)
        if any(run.is_ending for _, run in self._running.values()):
            self._take_endings(on_output)

    def _wait(self, due: float) -> list[int]:
        """The descriptors with news, after some time at the latest."""
        others = [self._broods.fileno()]
        if any(run.is_ending for _, run in self._running.values()):
            # The zygote tells how.
            if self._nursery.fileno() < 0:
                return []
            others.append(self._nursery.fileno())
        others = [descriptor for descriptor in others if descriptor >= 0]
        for descriptor in others:
            self._poll.register(descriptor, select.POLLIN)
        left = min(_LONGEST_WAIT_SECONDS, due - time.monotonic())
        found = self._poll.poll(max(0.0, left) * 1000)
        for descriptor in others:
            self._poll.unregister(descriptor)
        return [descriptor for descriptor, _ in found]

    def _listen_no_more(self, descriptor: int) -> None:
        if self._speaking.pop(descriptor, None):
            self._poll.unregister(descriptor)

    def _look(self, now: float) -> None:
        """See to what takes too long."""
        self._broods.look(now)
        for _, run in self._running.values():
            if run.is_overdue(now):
                self._give_up(run)
            elif now >= run.next_look and not run.is_over:
                run.look(now)

    def _kill_unwanted(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.eventfd_read(self._wake)
        for ident, run in self._running.values():
            if ident in self._unwanted:
                run.kill("cancelled")

    def _take_endings(self, on_output: OnOutput | None) -> None:
        for ident, run in self._running.values():
            if run.is_ending and (brood := self._broods.of(run)):
                _relay(on_output, ident, run.finish(*brood.ending(run)))
        for ending in self._nursery.endings():
            # Of a run that an abandoned map left behind nobody wants to hear.
            if ending.ident in self._running:
                ident, run = self._running[ending.ident]
                _relay(on_output, ident, run.finish(ending.status, ending.used))

    def _give_up(self, run: Run) -> None:
        """Nobody tells how it ended, so whoever should have is to end as well."""
        if brood := self._broods.of(run):
            brood.fail()
            run.finish(None, Usage(0, 0))
        else:
            self._nursery.drop()

    def _abandon(self) -> None:
        """Kill what still runs when a map ends early."""
        for _, run in [*self._running.values()]:
            run.kill("cancelled")
            self._forget(run)
        self._unwanted.clear()
        self._tidy_at(self._broods.rest())
        self._nursery.rest()

    def _tidy_at(self, due: float | None) -> None:
        """Have a thread look after what is kept for the next map, unless one is about to."""
        if due is not None and self._tidying is None:
            self._tidying = threading.Timer(max(0.0, due - time.monotonic()), self._tidy)
            self._tidying.daemon = True
            self._tidying.start()

    def _tidy(self) -> None:
        with self._turn:
            self._tidying = None
            self._tidy_at(self._broods.tidy())

    def _forget(self, run: Run) -> None:
        del self._running[run.child.ident]
        self._listen_no_more(run.child.pipe.fileno())
        if brood := self._broods.of(run):
            brood.forget(run)
        else:
            self._broods.note(run)
            self._nursery.forget(run.child)


def _relay(on_output: OnOutput | None, ident: Hashable, lines: list[LogLine]) -> None:
    if on_output is not None and lines:
        on_output(ident, lines)
