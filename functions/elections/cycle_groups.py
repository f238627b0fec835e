"""Units of functions that are reconciled together.

A cycle group has the functions that are elected or tried together; usually it is just one. A unit
is one cycle group, or all groups of a chase.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from functions.contests.contest import Contest
from functions.contests.loader import load_contests
from functions.graph.nodes import find_cycle_groups
from functions.locks import find_and_lock_functions
from functions.models import Chase, Function

CycleGroup = list[Contest]
_Ids = tuple[tuple[int, ...], ...]  # function ids of a unit, by cycle group


@dataclass(frozen=True, slots=True)
class Unit:
    """Cycle groups that are reconciled together: one, or all those of a chase."""

    cycle_groups: list[CycleGroup]
    chase: Chase | None  # the chase that leaves them unsettled, if any

    @property
    def contests(self) -> list[Contest]:
        return [contest for cycle_group in self.cycle_groups for contest in cycle_group]

    @property
    def ids(self) -> set[int]:
        return {contest.function.pk for contest in self.contests}


def load_units(functions: Sequence[Function], more: Collection[int] = ()) -> list[Unit]:
    """Lock and load the units of these functions, and of those with the ids in `more`.

    Units whose members change concurrently are left out.
    """
    extra = Function.objects.filter(pk__in=more, deleted_at=None)
    plan = _plan([*functions, *extra])
    wanted = {pk for unit in plan.values() for cycle_group in unit for pk in cycle_group}
    locked = {function.pk: function for function in find_and_lock_functions(wanted)}
    now = _plan(locked.values())
    unchanged: list[_Ids] = []
    taken = set[int]()
    for pk, unit in plan.items():
        own = {each for cycle_group in unit for each in cycle_group}
        if now.get(pk) == unit and taken.isdisjoint(own):
            unchanged.append(unit)
            taken |= own
    cycle_groups = [
        [locked[pk] for pk in cycle_group] for unit in unchanged for cycle_group in unit
    ]
    loaded = iter(load_contests(cycle_groups))
    chases = Chase.objects.in_bulk({each.chase_id for each in locked.values() if each.chase_id})
    return [
        Unit([next(loaded) for _ in unit], chases.get(locked[unit[0][0]].chase_id or 0))
        for unit in unchanged
    ]


def _plan(functions: Iterable[Function]) -> dict[int, _Ids]:
    """Return the unit of each function by its id: function ids by cycle group."""
    own = {function.pk: function for function in functions}
    chases = {function.chase_id for function in own.values() if function.chase_id}
    members_of_chases = Function.objects.filter(chase__in=chases, deleted_at=None) if chases else ()
    cycle_groups = find_cycle_groups(
        {**own, **{each.pk: each for each in members_of_chases}}.values()
    )
    members: dict[int, set[tuple[int, ...]]] = {}
    for fellow in members_of_chases:
        members.setdefault(fellow.chase_id or 0, set()).add(tuple(cycle_groups[fellow.pk]))
    return {
        pk: tuple(sorted(members[function.chase_id]))
        if function.chase_id in members
        else (tuple(cycle_groups[pk]),)
        for pk, function in own.items()
    }


def choose_units(units: Sequence[Unit]) -> list[Unit]:
    """Return units none of which depends on another; dependents have to wait for the outcome."""
    homes = [unit.ids for unit in units]
    reached = [
        {pk for contest in unit.contests for pk in contest.nodes} - home
        for unit, home in zip(units, homes, strict=True)
    ]
    everyone = set[int]().union(*homes)
    # Dependencies first.
    places = sorted(range(len(units)), key=lambda place: len(reached[place] & everyone))
    chosen: list[Unit] = []
    taken, beyond = set[int](), set[int]()
    for place in places:
        if not (reached[place] & taken or homes[place] & beyond):
            chosen.append(units[place])
            taken |= homes[place]
            beyond |= reached[place]
    return chosen
