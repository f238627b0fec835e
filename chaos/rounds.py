"""Rounds: load with faults, then quiet, and a check of the invariants."""

import fcntl
import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from chaos import watching
from chaos.faults import Fault
from chaos.fleet import Fleet
from chaos.invariants import DUPLICATED, LOST, WRONG, Violation
from chaos.site import LOCK, Site

BETWEEN_SECONDS = (0.2, 1.2)
QUIET_SECONDS = 90.0
WARM_UP_SECONDS = 1.0


@dataclass
class Row:
    """The results of one fault."""

    fault: str
    injected: int = 0
    struck: int = 0
    lost: int = 0
    duplicated: int = 0
    wrong: int = 0
    slowest_seconds: float = 0.0

    @property
    def is_bad(self) -> bool:
        return bool(self.lost or self.duplicated or self.wrong)

    def charge(self, found: Sequence[Violation]) -> None:
        """Count violations after a round with this fault."""
        kinds = [violation.kind for violation in found]
        self.lost += kinds.count(LOST)
        self.duplicated += kinds.count(DUPLICATED)
        self.wrong += kinds.count(WRONG)


class _Strike(NamedTuple):
    """An injected fault, with the moments before and after."""

    fault: Fault
    row: Row
    moment: watching.Moment
    began: float
    ended: float


class Game:
    """All rounds and their results; each violation is counted once."""

    def __init__(self, site: Site, chance: random.Random, fleet: Fleet | None) -> None:
        self._site = site
        self._fleet = fleet
        self._chance = chance
        self._known: set[Violation] = set()
        self.rows: dict[str, Row] = {}

    def play(self, faults: Sequence[Fault]) -> list[Violation]:
        """Inject these faults in random order under load; return the violations."""
        rows = [self.rows.setdefault(fault.name, Row(fault.name)) for fault in faults]
        turns = [(f, r) for f, r in zip(faults, rows, strict=True) for _ in range(f.times)]
        self._chance.shuffle(turns)
        strikes: list[_Strike] = []
        self._site.keep_load()
        if self._fleet:
            self._fleet.go_on()
        self._site.wait(WARM_UP_SECONDS)
        for fault, row in turns:
            moment, began = watching.moment(), time.monotonic()
            row.injected += 1
            if fault.inject(self._site, self._chance):
                row.struck += 1
                strikes.append(_Strike(fault, row, moment, began, time.monotonic()))
            self._site.wait(self._chance.uniform(*BETWEEN_SECONDS))
        found = self._end_round()
        for strike in strikes:
            seconds = self._seconds_to_recover(strike)
            strike.row.slowest_seconds = max(strike.row.slowest_seconds, seconds)
        fresh = [violation for violation in dict.fromkeys(found) if violation not in self._known]
        self._known.update(fresh)
        for row in rows:
            row.charge(fresh)
        return fresh

    def _end_round(self) -> list[Violation]:
        """Wait until the site is quiet; return the violations."""
        self._site.heal()
        healed_at = time.monotonic()
        found: list[Violation] = []
        if self._fleet:
            found += self._fleet.await_heads()
            self._fleet.hold()
        with load_held(self._site.folder):
            found += await_quiet(self._site.wait) + watching.find_wrong()
            if self._fleet:
                found += self._fleet.judge(healed_at)
            found += watching.left_over(self._site.left_behind())
        return found

    def _seconds_to_recover(self, strike: _Strike) -> float:
        if self._fleet and strike.fault.streams:
            return self._fleet.seconds_behind(strike.began, strike.ended + strike.fault.lasting)
        return watching.seconds_to_recover(strike.moment)


@contextmanager
def load_held(folder: Path) -> Iterator[None]:
    """Put the submissions of a site on hold."""
    with (folder / LOCK).open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def await_quiet(wait: Callable[[float], object]) -> list[Violation]:
    """Wait until nothing is open or due; return a violation if that takes too long."""
    deadline = time.monotonic() + QUIET_SECONDS
    while not watching.is_quiet():
        if time.monotonic() > deadline:
            return watching.left_over([f"not quiet within {QUIET_SECONDS:.0f} s"])
        wait(0.1)
    return []
