"""Runs programs, each in its own set of processes, which are forked in advance from a zygote."""

from __future__ import annotations

import contextlib
import os
import selectors
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Self

from runner.sandbox.jail.confinement import Layers
from runner.sandbox.programs import Cancelled, LogLine, Outcome, Program, SandboxBroken
from runner.sandbox.supervisor.member import CodeCache, Member
from runner.sandbox.supervisor.placement import place
from runner.sandbox.supervisor.prefork import Prefork
from runner.sandbox.supervisor.run import Run

# A signal that arrives just before polling is handled after it, so polling has this limit.
_LONGEST_WAIT_SECONDS = 1.0

# Processes per program: a judge, a subject, and often an aide.
_AHEAD_OF_EACH = 3

Concluded = Outcome | SandboxBroken | Cancelled
OnOutput = Callable[[Hashable, Sequence[LogLine]], None]


class Pool:
    """Runs confined programs; raises SandboxUnavailable if this machine can't confine them.

    One map at a time: a map of another thread waits for its end, one of the same thread is refused.
    """

    def __init__(self, size: int = 1, *, prefork: Prefork | None = None) -> None:
        self._size = size
        self._prefork = prefork or Prefork(ahead=_AHEAD_OF_EACH * (size + 1))
        self._codes = CodeCache()
        self._turn = threading.Lock()
        # The thread that holds `_turn`.
        self._mapper: int | None = None
        # Reentrant, because signal handlers take it too.
        self._waking = threading.RLock()
        self._owner = os.getpid()
        self._wake = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._unwanted: set[Hashable] = set()
        self._begins_no_more = False
        self._rests = True
        self._on_output: OnOutput = lambda _ident, _lines: None
        self._running: dict[Run, Hashable] = {}
        # The pipes of members that may send more; their data are (run, member).
        self._pipes = selectors.PollSelector()
        self._pipes.register(self._wake, selectors.EVENT_READ)

    @property
    def layers(self) -> Layers | None:
        """The layers of confinement around this pool's programs."""
        return self._prefork.layers

    @property
    def zygote_pid(self) -> int | None:
        """The id of the process whose end ends the zygote and all its children."""
        return self._prefork.zygote_pid

    def run(
        self,
        program: Program,
        *,
        on_output: Callable[[Sequence[LogLine]], None] = lambda _: None,
    ) -> Outcome:
        """Run one program; raises SandboxBroken if the machinery failed."""
        relay: OnOutput = lambda _ident, lines: on_output(lines)  # noqa: E731
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
        on_output: OnOutput = lambda _ident, _lines: None,
        rests: bool = True,
    ) -> Iterator[tuple[Hashable, Concluded]]:
        """Run many programs, up to `size` at once; yield (ident, result) in order of completion.

        Afterwards the pool rests, unless its owner will tell when there is time for that.
        """
        if os.getpid() != self._owner:
            raise SandboxBroken("a pool can't be used by a fork of the process that made it")
        if self._mapper == threading.get_ident():
            raise SandboxBroken("this thread has another map that has not ended")
        with self._turn:
            self._mapper = threading.get_ident()
            self._begins_no_more = False
            self._rests = rests
            self._on_output = on_output
            try:
                yield from self._map(iter(programs))
            finally:
                self._mapper = None
                self._abandon()

    def rest(self) -> None:
        """Let waiting processes warm up, because nothing will run for a while."""
        with self._turn:
            self._prefork.rest()

    def cancel(self, ident: Hashable) -> None:
        """Stop a run of the current map, or keep it from starting; callable from any thread."""
        self._unwanted.add(ident)
        self._be_woken()

    def begin_no_more(self) -> None:
        """Cancel the current map's programs that have not begun; callable from any thread."""
        self._begins_no_more = True
        self._be_woken()

    def _be_woken(self) -> None:
        with self._waking:
            if self._wake >= 0:
                os.eventfd_write(self._wake, 1)

    def close(self) -> None:
        """End the zygote and all its children; waits for another thread's map."""
        is_mine = self._mapper == threading.get_ident()
        with contextlib.nullcontext() if is_mine else self._turn:
            if is_mine:
                self._abandon()
            self._prefork.drop()
            with self._waking:
                if self._wake >= 0:
                    os.close(self._wake)
                    self._wake = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _map(
        self, programs: Iterator[tuple[Hashable, Program]]
    ) -> Iterator[tuple[Hashable, Concluded]]:
        following = next(programs, None)
        while True:
            if self._wake < 0:
                raise SandboxBroken("the pool has been closed")
            if over := next((run for run in self._running if run.is_over), None):
                ident, concluded = self._running[over], over.conclude()
                self._forget(over)
                yield ident, concluded
            elif following and (self._begins_no_more or following[0] in self._unwanted):
                yield following[0], Cancelled()
                following = next(programs, None)
            elif following and len(self._running) < self._size:
                if known := self._begin(*following):
                    yield following[0], known
                following = next(programs, None)
            elif self._running:
                # Now, because the runs hide the time it takes.
                self._prefork.replenish(is_idle=self._rests and not following)
                self._attend()
            else:
                return

    def _begin(self, ident: Hashable, program: Program) -> Outcome | SandboxBroken | None:
        if excess := program.excess():
            return excess
        try:
            run = self._start(program)
        except SandboxBroken as broken:
            return broken
        self._running[run] = ident
        for member in run.members:
            self._pipes.register(member.process.pipe, selectors.EVENT_READ, (run, member))
        return None

    def _start(self, program: Program, *, is_last_try: bool = False) -> Run:
        placements = place(program)
        run = Run(program, placements, self._prefork.take(len(placements)), self._codes)
        try:
            run.send()
        except SandboxBroken:
            # A process has ended since it was ready, most likely together with its zygote.
            # Nothing has begun, so the program can be given to other processes.
            self._forget(run)
            self._prefork.catch_up()
            if is_last_try:
                raise
            return self._start(program, is_last_try=True)
        return run

    def _attend(self) -> None:
        """Wait for events of the runs, and handle them."""
        due = min(run.next_look for run in self._running)
        for key in self._wait(due):
            if key.fd == self._wake:
                self._kill_unwanted()
            elif key.data:
                run, member = key.data
                if run in self._running and not member.is_silent:
                    run.receive(member)
                    self._relay(run)
        now = time.monotonic()
        if now >= due:
            self._look(now)
        if any(run.is_ending for run in self._running):
            self._take_endings()

    def _wait(self, due: float) -> list[selectors.SelectorKey]:
        """Wait for events until this time; return their keys."""
        zygote = -1
        if any(run.is_ending for run in self._running):
            # The zygote reports how processes have ended.
            zygote = self._prefork.fileno()
            if zygote < 0:
                return []
            self._pipes.register(zygote, selectors.EVENT_READ)
        left = min(_LONGEST_WAIT_SECONDS, due - time.monotonic())
        events = self._pipes.select(max(0.0, left))
        if zygote >= 0:
            self._pipes.unregister(zygote)
        return [key for key, _ in events]

    def _relay(self, run: Run) -> None:
        """Pass on a run's new output, and stop polling pipes that are at their end."""
        if lines := run.new_lines():
            self._on_output(self._running[run], lines)
        self._stop_polling(member for member in run.members if member.is_silent)

    def _stop_polling(self, members: Iterable[Member]) -> None:
        for member in members:
            # The pipe may be closed, because `on_output` may have ended the map.
            with contextlib.suppress(KeyError, ValueError):
                self._pipes.unregister(member.process.pipe)

    def _look(self, now: float) -> None:
        """Enforce the limits of the runs."""
        for run in self._running:
            if run.is_overdue(now) and not run.is_over:
                # The zygote doesn't report the end of its processes, so it is broken.
                self._prefork.drop()
            elif now >= run.next_look and not run.is_over:
                run.look(now)

    def _kill_unwanted(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.eventfd_read(self._wake)
        for run, ident in self._running.items():
            if ident in self._unwanted:
                run.kill("cancelled")

    def _take_endings(self) -> None:
        # Endings of an abandoned map's processes are ignored.
        members = {m.process.number: (run, m) for run in self._running for m in run.members}
        for number, status, used in self._prefork.endings():
            if number in members:
                run, member = members[number]
                run.finish(member, status, used)
                self._relay(run)

    def _abandon(self) -> None:
        """Kill the runs that are left when a map ends early."""
        for run in [*self._running]:
            run.kill("cancelled")
            self._forget(run)
        self._unwanted.clear()
        if self._rests:
            self._prefork.rest()
        else:
            self._prefork.replenish(is_idle=False)

    def _forget(self, run: Run) -> None:
        self._running.pop(run, None)
        self._stop_polling(run.members)
        for member in run.members:
            self._prefork.forget(member.process)
