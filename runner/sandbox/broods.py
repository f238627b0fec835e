"""Which programs are run from a parent, and which alone."""

from __future__ import annotations

import math
import os
import select
import time
from collections import OrderedDict

from runner.sandbox.brood import Brood, shared_by
from runner.sandbox.codes import CodeCache
from runner.sandbox.nursery import Nursery
from runner.sandbox.programs import Program, SandboxBroken
from runner.sandbox.supervision import Run

# From the end of a parent until it is looked whether it has left anything.
_END_SECONDS = 2.0
# Forking on request costs about as much.
_COSTLY_MICROSECONDS = 700
# So many characters of source mostly take as long to load; more take long to compile before that.
_MUCH_SOURCE = range(1_000, 50_000)
# For how long a parent may try to load what is unknown: nobody has the outcome that says what it is
# that takes so long before a program runs alone.
_TRIAL_SECONDS = 0.25
# What a parent that nobody needs may take is memory.
_KEPT_SECONDS = 10.0
_MOST_KNOWN = 256


class Broods:
    """Has loaded once what programs share that come one after the other, if that takes long.

    How long is seen by a parent that tries, where there is much to load, and else when one program
    runs alone. A parent serves until another one is needed, for some time also beyond its map.
    Programs whose last module comes for the second time, and hasn't been kept, run alone if that
    helps: code is kept only of where no user code has run before.
    """

    def __init__(self, nursery: Nursery, codes: CodeCache) -> None:
        self._nursery = nursery
        self._codes = codes
        self._present: Brood | None = None
        self._former: list[Brood] = []
        # When the present one may end if it has not been needed until then.
        self._kept_until = math.inf
        # Of those that have been closed: when to look again, and whether for the last time.
        self._dying: dict[int, tuple[float, bool]] = {}
        # Whether a parent pays for what programs share; None where one has tried in vain, and a
        # program that runs alone is to tell.
        self._pays: OrderedDict[tuple[object, ...], bool | None] = OrderedDict()
        # Until when the present one may try.
        self._tries_until = math.inf

    def expect(self, program: Program, following: Program | None = None) -> None:
        """These are to be run next: get a parent if that pays, as it does for more than one."""
        if following is None or program.entry != "test":
            return
        shared = shared_by(program)
        if shared != shared_by(following) or self._is_present(shared):
            return
        is_known = shared in self._pays
        pays = self._pays[shared] if is_known else _may_pay(program)
        if not pays or any(self._is_to_be_kept(each) for each in (program, following)):
            return
        self._retire()
        if parent := self._nursery.ask_for_parent():
            self._present = Brood(program, parent, self._codes, self._nursery.numbers)
            self._tries_until = math.inf if is_known else time.monotonic() + _TRIAL_SECONDS

    def _is_to_be_kept(self, program: Program) -> bool:
        """Whether its last module's code is worth keeping, and will be if it runs alone."""
        *modules, last = program.modules
        return self._codes.is_missed(last) and all(map(self._codes.get, modules))

    def bear(self, program: Program, following: Program | None = None) -> Run | None:
        """Begin a program in a child of a parent that is ready for it; None where there is none."""
        if self._present is None or not self._is_present(shared := shared_by(program)):
            return None
        brood = self._present
        if not brood.is_ready or self._is_to_be_kept(program):
            return None
        self._codes.miss(program.modules[-1])
        if not brood.is_known:
            self._nursery.catch_up()
        is_followed = following is not None and shared_by(following) == shared
        try:
            return brood.bear(program, is_followed=is_followed)
        except SandboxBroken:
            self._note_progress()
            return None

    def _is_present(self, shared: tuple[object, ...]) -> bool:
        """Whether the present one is for programs that share this, be it ready or not."""
        if self._present is None or self._present.shared != shared:
            return False
        if self._present.wakes():
            return True
        # It was ended while it rested, which says nothing about what it has loaded.
        self._retire()
        return False

    @property
    def _tries(self) -> bool:
        return self._tries_until < math.inf

    def _note_progress(self) -> None:
        """See whether the present one has failed, or has loaded what it tried to load."""
        if self._present is None:
            return
        shared, loaded = self._present.shared, self._present.loaded
        if self._present.has_failed:
            # A program that has run alone meanwhile may have told.
            self._learn(shared, self._pays.get(shared) if self._tries else False)
            if self._tries:
                self._retire()
        elif loaded:
            # Also of what took long before: a busy machine may have been all that took so long.
            self._tries_until = math.inf
            self._learn(shared, loaded.used.cpu_us >= _COSTLY_MICROSECONDS)
            if not self._pays[shared]:
                self._retire()

    def note(self, run: Run) -> None:
        """One that ran alone is over: see whether what others may share took long to load."""
        loading = run.loading
        if loading is None or loading.used.cpu_us < _COSTLY_MICROSECONDS:
            return
        if _can_share(run.program) and self._pays.get(shared := shared_by(run.program)) is None:
            self._learn(shared, True)

    def _learn(self, shared: tuple[object, ...], pays: bool | None) -> None:
        self._pays[shared] = pays
        if len(self._pays) > _MOST_KNOWN:
            self._pays.popitem(last=False)

    @property
    def is_loading(self) -> bool:
        """Whether a parent is at work, which takes the place of a run."""
        return self._present is not None and self._present.is_loading

    def fileno(self) -> int:
        """Readable when a parent has something to tell; -1 when none has."""
        return self._present.fileno() if self._present else -1

    def receive(self) -> None:
        if self._present:
            self._present.receive()
            self._note_progress()

    @property
    def next_look(self) -> float:
        return min(self._present.next_look, self._tries_until) if self._present else math.inf

    def look(self, now: float) -> None:
        """Give up on a parent that loads for too long."""
        if self._present and now >= self.next_look:
            self._nursery.catch_up()
            self._present.look(now)
            if now >= self._tries_until:
                self._present.fail()
            self._note_progress()

    def of(self, run: Run) -> Brood | None:
        """The one that a run belongs to."""
        broods = (*self._former, self._present)
        return next((brood for brood in broods if brood and brood.has(run)), None)

    def rest(self) -> float | None:
        """No run is under way: tells when to `tidy`, if that is ever necessary.

        The parent that is kept for the next map is stopped until then.
        """
        self._bury()
        if self._present is None or not self._present.rest():
            self._retire()
            return None
        self._kept_until = time.monotonic() + _KEPT_SECONDS
        return self._kept_until

    def tidy(self) -> float | None:
        """End a parent that rests for long; tells when to tidy again."""
        if self._present and time.monotonic() >= self._kept_until:
            self._retire()
        return self._kept_until if self._present else None

    def close(self) -> None:
        """End all parents, and the zygote."""
        self._retire()
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


def _may_pay(program: Program) -> bool:
    """Whether so much is shared that loading it may take long."""
    length = sum(len(module.source) for module in program.modules[:-1])
    return length in _MUCH_SOURCE and _can_share(program)


def _can_share(program: Program) -> bool:
    """Whether there are modules to be loaded that know nothing of the last one."""
    *modules, last = program.modules
    return program.entry == "test" and not any(last.name in module.binds for module in modules)
