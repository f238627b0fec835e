"""Runs programs, each in a process of its own, forked ahead from a warm zygote."""

from __future__ import annotations

import contextlib
import os
import select
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from types import TracebackType
from typing import Self

from runner.sandbox.broods import Broods
from runner.sandbox.codes import CodeCache
from runner.sandbox.confinement import Layers
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
        self._running: dict[int, tuple[Hashable, Run]] = {}

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
            try:
                yield from self._map(iter(programs), on_output)
            finally:
                self._mapper = None
                self._abandon()

    def cancel(self, ident: Hashable) -> None:
        """Stop a run of the present map, or keep it from starting; callable from any thread."""
        self._unwanted.add(ident)
        with self._waking:
            if self._wake >= 0:
                os.eventfd_write(self._wake, 1)

    def close(self) -> None:
        """End the zygote and every child, once another thread's map has ended."""
        is_mine = self._mapper == threading.get_ident()
        with contextlib.nullcontext() if is_mine else self._turn:
            if is_mine:
                self._abandon()
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
        following = next(programs, None)
        while True:
            if self._wake < 0:
                raise SandboxBroken("the pool has been closed")
            if over := next((one for one in self._running.values() if one[1].is_over), None):
                ident, run = over
                concluded = run.conclude()
                self._broods.note(run)
                self._forget(run)
                yield ident, concluded
            elif following is not None and len(self._running) < self._size:
                ident, program = following
                known = self._begin(ident, program)
                if known is not None:
                    yield ident, known
                following = next(programs, None)
            elif self._running:
                # While they work, which hides what it takes.
                self._nursery.replenish(is_idle=following is None)
                self._attend(on_output)
            else:
                return

    def _begin(self, ident: Hashable, program: Program) -> Concluded | None:
        if ident in self._unwanted:
            return Cancelled()
        if excess := program.excess():
            return excess
        run = self._broods.bear(program)
        failed = None
        for _ in range(_TRIES):
            if run is not None:
                break
            try:
                run = Run(program, self._nursery.take(), self._codes)
            except SandboxBroken as broken:
                return broken
            failed = run.send()
            if failed is not None:
                # Nothing has begun, so another child may have it.
                self._nursery.forget(run.child)
                self._nursery.catch_up()
                run = None
        if run is None:
            return failed
        self._running[run.child.ident] = (ident, run)
        return None

    def _attend(self, on_output: OnOutput | None) -> None:
        """Wait for something to happen and see to it."""
        by_pipe = {
            run.child.pipe.fileno(): (ident, run)
            for ident, run in self._running.values()
            if not run.is_silent
        }
        for descriptor in self._wait(by_pipe):
            if descriptor in by_pipe:
                ident, run = by_pipe[descriptor]
                _relay(on_output, ident, run.receive())
            elif descriptor == self._wake:
                self._kill_unwanted()
            elif descriptor == self._broods.fileno():
                self._broods.receive()
        now = time.monotonic()
        self._broods.look(now)
        for _, run in self._running.values():
            if run.is_overdue(now):
                self._give_up(run)
            elif now >= run.next_look and not run.is_over:
                run.look(now)
        if any(run.is_ending for _, run in self._running.values()):
            self._take_endings(on_output)

    def _wait(self, pipes: Iterable[int]) -> list[int]:
        """The descriptors with news, after some time at the latest."""
        poll = select.poll()
        for descriptor in pipes:
            poll.register(descriptor, select.POLLIN)
        poll.register(self._wake, select.POLLIN)
        if self._broods.fileno() >= 0:
            poll.register(self._broods.fileno(), select.POLLIN)
        now = time.monotonic()
        left = min(_LONGEST_WAIT_SECONDS, self._broods.next_look - now)
        for _, run in self._running.values():
            left = min(left, run.next_look - now)
            if run.is_ending:
                # The zygote tells how.
                if self._nursery.fileno() < 0:
                    return []
                poll.register(self._nursery.fileno(), select.POLLIN)
        return [descriptor for descriptor, _ in poll.poll(max(0.0, left) * 1000)]

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
        self._broods.drop()
        self._nursery.rest()

    def _forget(self, run: Run) -> None:
        del self._running[run.child.ident]
        if brood := self._broods.of(run):
            brood.forget(run)
        else:
            self._nursery.forget(run.child)


def _relay(on_output: OnOutput | None, ident: Hashable, lines: list[LogLine]) -> None:
    if on_output is not None and lines:
        on_output(ident, lines)
