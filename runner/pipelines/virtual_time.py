"""Virtual time: the order in which the follow-ups of several owners are run, and how many at once.

Self-clocked fair queueing. The clock shows the turn of what was taken to be run last. An owner's
next follow-up gets the turn after the owner's last one that waits, or after the clock. So a
thousand of one owner and the few of another alternate, and before any there are at most as many of
each other owner as have their turns between the clock and it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

# What nobody has caused (a sweep, another runtime) has one turn in so many of an owner's.
UNOWNED_STEP = 16


class DueTarget(NamedTuple):
    """A target that is due: when it has its turn, by the earliest of its follow-ups, and whose."""

    name: str
    target: str
    owner_id: int | None
    vtime: int


def next_vtimes(
    owners: Iterable[int | None], *, clock: int, lasts: Mapping[int | None, int]
) -> list[int]:
    """Return the turns of new follow-ups of these owners, given the last turn that each has."""
    latest = {owner: max(clock, last) for owner, last in lasts.items()}
    vtimes = []
    for owner in owners:
        latest[owner] = latest.get(owner, clock) + (UNOWNED_STEP if owner is None else 1)
        vtimes.append(latest[owner])
    return vtimes


def choose_portion(waiting: Sequence[DueTarget], limit: int) -> list[DueTarget]:
    """Return those of the targets, which are in turn, to be run next as one portion.

    They are called by the name of the first. The portion ends where the first of several owners has
    nothing left behind it: whoever waits for little is not to wait for many of another's.
    """
    lasts = {one.owner_id: one.vtime for one in waiting}
    end = min(lasts.values(), default=0)
    chosen = [one for one in waiting if one.name == waiting[0].name and one.vtime <= end]
    return chosen[:limit]
