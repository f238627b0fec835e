"""PURE: fair queueing of follow-ups by virtual time, and the size of portions.

Self-clocked fair queueing: the clock is the virtual time of the target that was started last. An
owner's next follow-up gets the time after the owner's last waiting one or after the clock,
whichever is later. So a thousand follow-ups of one owner and a few of another alternate.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

# Follow-ups without an owner (of a sweep, for example) advance by this many steps.
UNOWNED_STEP = 16


class DueTarget(NamedTuple):
    """A due target with the virtual time and owner of its earliest follow-up."""

    name: str
    target: str
    owner_id: int | None
    vtime: int


def next_vtimes(
    owners: Iterable[int | None], *, clock: int, lasts: Mapping[int | None, int]
) -> list[int]:
    """Return the virtual times of new follow-ups of these owners, given each owner's last one."""
    latest = {owner: max(clock, last) for owner, last in lasts.items()}
    vtimes = []
    for owner in owners:
        latest[owner] = latest.get(owner, clock) + (UNOWNED_STEP if owner is None else 1)
        vtimes.append(latest[owner])
    return vtimes


def choose_portion(waiting: Sequence[DueTarget], limit: int) -> list[DueTarget]:
    """Return the next portion: up to `limit` targets with the name of the first.

    `waiting` is in the order of virtual time. The portion ends with the last target of the owner
    who is served first, because an owner with few targets should not wait for many of another's.
    """
    lasts = {target.owner_id: target.vtime for target in waiting}
    end = min(lasts.values(), default=0)
    chosen = [each for each in waiting if each.name == waiting[0].name and each.vtime <= end]
    return chosen[:limit]
