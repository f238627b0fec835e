"""Which functions are settled together: companies, and those that are unsettled together.

A company is of functions that are elected or tried together; mostly it is of one.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from functions.contests.contest import Contest
from functions.contests.loader import load_contests
from functions.graph.nodes import find_companies
from functions.locks import find_and_lock_functions
from functions.models import Chase, Function

Company = list[Contest]
_Ids = tuple[tuple[int, ...], ...]  # of the functions of a unit, by company


@dataclass(frozen=True, slots=True)
class Unit:
    """Companies that are settled together: one, or those that are unsettled together."""

    companies: list[Company]
    chase: Chase | None  # that they are unsettled by

    @property
    def contests(self) -> list[Contest]:
        return [contest for company in self.companies for contest in company]

    @property
    def ids(self) -> set[int]:
        return {contest.function.pk for contest in self.contests}


def load_units(functions: Sequence[Function], more: Collection[int] = ()) -> list[Unit]:
    """Lock these functions with those that they are settled with, and load them.

    So with `more`, by their ids. Left out are those of which this changes at this moment.
    """
    beside = Function.objects.filter(pk__in=more, deleted_at=None)
    plan = _plan([*functions, *beside])
    wanted = {pk for unit in plan.values() for company in unit for pk in company}
    locked = {function.pk: function for function in find_and_lock_functions(wanted)}
    now = _plan(locked.values())
    unchanged: list[_Ids] = []
    taken = set[int]()
    for pk, unit in plan.items():
        own = {each for company in unit for each in company}
        if now.get(pk) == unit and taken.isdisjoint(own):
            unchanged.append(unit)
            taken |= own
    companies = [[locked[pk] for pk in company] for unit in unchanged for company in unit]
    loaded = iter(load_contests(companies))
    chases = Chase.objects.in_bulk({each.chase_id for each in locked.values() if each.chase_id})
    return [
        Unit([next(loaded) for _ in unit], chases.get(locked[unit[0][0]].chase_id or 0))
        for unit in unchanged
    ]


def _plan(functions: Iterable[Function]) -> dict[int, _Ids]:
    """Return with which functions each of these is settled, and itself, by their ids."""
    own = {function.pk: function for function in functions}
    chases = {function.chase_id for function in own.values() if function.chase_id}
    fellows = Function.objects.filter(chase__in=chases, deleted_at=None) if chases else ()
    companies = find_companies({**own, **{each.pk: each for each in fellows}}.values())
    members: dict[int, set[tuple[int, ...]]] = {}
    for fellow in fellows:
        members.setdefault(fellow.chase_id or 0, set()).add(tuple(companies[fellow.pk]))
    return {
        pk: tuple(sorted(members[function.chase_id]))
        if function.chase_id in members
        else (tuple(companies[pk]),)
        for pk, function in own.items()
    }


def choose_units(units: Sequence[Unit]) -> list[Unit]:
    """Leave out who leads to another, and is to see what becomes of that one."""
    homes = [unit.ids for unit in units]
    reached = [
        {pk for contest in unit.contests for pk in contest.nodes} - home
        for unit, home in zip(units, homes, strict=True)
    ]
    everyone = set[int]().union(*homes)
    # Dependencies come first.
    places = sorted(range(len(units)), key=lambda place: len(reached[place] & everyone))
    chosen: list[Unit] = []
    taken, beyond = set[int](), set[int]()
    for place in places:
        if not (reached[place] & taken or homes[place] & beyond):
            chosen.append(units[place])
            taken |= homes[place]
            beyond |= reached[place]
    return chosen
