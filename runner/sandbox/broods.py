"""Which programs are run from a parent, and which alone."""

from __future__ import annotations

import contextlib
import math
import os
import select
import time

from runner.sandbox.brood import Brood, shared_by
from runner.sandbox.codes import CodeCache
from runner.sandbox.nursery import Nursery
from runner.sandbox.programs import Module, Program, SandboxBroken
from runner.sandbox.supervision import Run

# From the end of a parent until it is looked whether it has left anything.
_END_SECONDS = 2.0
# Forking on request costs about as much.
_COSTLY_MICROSECONDS = 700


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
        # Of those that have been closed: when to look again, and whether for the last time.
        self._dying: dict[int, tuple[float, bool]] = {}
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
        elif self._costly is not None and self._costly == shared_by(program):
            self._costly = None
            self._retire()
            if parent := self._nursery.ask_for_parent():
                self._present = Brood(program, parent, self._codes, self._nursery.numbers)
        return None

    def note(self, run: Run) -> None:
        """A run is over: see whether it took long enough to load what others may share with it."""
        loading, program = run.loading, run.program
        if loading is None or loading.used.cpu_us < _COSTLY_MICROSECONDS:
            return
        is_new = self._present is None or not self._present.is_for(program)
        if is_new and _can_share(program):
            self._costly = shared_by(program)

    def _is_to_be_kept(self, module: Module) -> bool:
        return self._codes.get(module) is None and self._codes.miss(module)

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
        self._bury()
        self._retire()

    def close(self) -> None:
        """End all parents, and the zygote."""
        self.drop()
        self._nursery.drop()
        for listener in self._dying:
            os.close(listener)
        self._dying.clear()

    def _retire(self) -> None:
        if self._present:
            self._former.append(self._present)
            self._present = None
        for brood in [brood for brood in self._former if not brood.is_busy]:
            self._former.remove(brood)
            # By now the zygote has told how to reach it.
            self._nursery.catch_up()
            listener = brood.close()
            if listener is not None:
                self._dying[listener] = (time.monotonic() + _END_SECONDS, False)

    def _bury(self) -> None:
        """See that nothing is left of those that were closed: user code may have forked there."""
        poll = select.poll()
        for listener in self._dying:
            poll.register(listener, 0)
        for listener, events in poll.poll(0):
            if events & select.POLLHUP:
                del self._dying[listener]
                os.close(listener)
        now = time.monotonic()
        for listener, (due, is_last) in self._dying.items():
            if now >= due and is_last:
                # Nobody else can find them.
                self._nursery.drop()
            elif now >= due:
                # One that has ended may still have to be reaped, as it is when the next one ends.
                self._dying[listener] = (now + _END_SECONDS, True)


def _can_share(program: Program) -> bool:
    """Whether there are modules to be loaded that know nothing of the last one."""
    *modules, last = program.modules
    return program.entry == "test" and not any(last.name in module.binds for module in modules)
