"""Settles functions: holds their elections, has run what they lack, and has all of it written.

Many at once cost little more than one.
"""

import functools
import logging
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.db import transaction

from functions.contests.cells import find_culprits
from functions.contests.contest import Contest
from functions.contests.evaluation import RECORDER, settle_soon
from functions.contests.loader import reload_changed
from functions.contests.refresh import Refreshed, refresh_cells
from functions.elections import oscillation
from functions.elections.cascades import supersede
from functions.elections.cycle_groups import Company, Unit, choose_units, load_units
from functions.elections.cycles import Outcomes, agree, arrange, find_who_gives_way
from functions.elections.election import hold_election, standing
from functions.elections.events import announce
from functions.elections.schedule import ask
from functions.elections.standings import Finding, write_standings
from functions.elections.triggers import Occasion, read_occasion
from functions.elections.unsettled import MoreToLock, end_chases, forget_chases_of, trace_changes
from functions.locks import lock_elections
from functions.models import Function
from runner.models import FollowUp
from runner.registry import RowsByTarget

log = logging.getLogger(__name__)

# A last resort: no cascade comes so far, since chases are recognised by their causes.
DEEPEST_CASCADE = 10_000
# So many functions are settled together at most; fewer, if they have more squares than this.
AT_ONCE = 32
MOST_SQUARES = 2_000

Due = Mapping[int, Sequence[FollowUp]]


def settle(arrivals: RowsByTarget) -> list[str]:
    """Hold the elections of functions, have run what they lack, and tell who depends on them.

    Functions that are elected or tried together have theirs held together. Of those that lead to
    each other otherwise, and of too many, some are left to the next call: returns the others.

    A follow-up: called in a transaction, for all arrivals at once, as often as it likes.

    Only what others see is written under the lock of all elections, and only if others are then
    what they were when it was found. What is read of them without the lock may be old: who has
    changed tells us, and we are called again.

    Where functions turn out to chase each other, all is undone and done again with all of them
    locked.
    """
    due = {int(target): rows for target, rows in arrivals.items()}
    beside = frozenset[int]()
    while True:
        try:
            with transaction.atomic():
                return _settle(due, beside)
        except MoreToLock as more:
            beside |= more.function_ids


def _settle(due: Due, beside: Collection[int]) -> list[str]:
    living = Function.objects.filter(deleted_at=None).in_bulk(list(due))
    forget_chases_of(due.keys() - living.keys())
    some = _portion([living[pk] for pk in due if pk in living])
    units = load_units(some, beside)
    witnesses = [unit for unit in units if not unit.ids.isdisjoint(beside)]
    units = [*choose_units([unit for unit in units if unit.ids.isdisjoint(beside)]), *witnesses]
    occasions = dict(_read_occasions(units, due))
    findings = _find(units, due, occasions)
    if any(finding.is_seen_by_others for each in findings for finding in each):
        lock_elections()
        findings = list(_still_true(findings))
    findings = trace_changes(findings, units, beside)
    for each in findings:
        _look_again(each)
    write_standings([finding for each in findings for finding in each])
    end_chases(units, findings)
    settled = {finding.function.pk for each in findings for finding in each}
    return [str(pk) for pk in due if pk in settled or pk not in living]


def _portion(functions: Sequence[Function]) -> list[Function]:
    """Return as many of the first as may be settled together."""
    squares = 0
    for number, function in enumerate(functions):
        squares += function.last_implementation_number * (1 + function.last_test_number)
        if number and squares > MOST_SQUARES:
            return list(functions[:number])
    return list(functions)


def _read_occasions(units: Iterable[Unit], due: Due) -> Iterator[tuple[int, Occasion]]:
    for company in (company for unit in units for company in unit.companies):
        functions = [contest.function for contest in company]
        rows = _rows_of(company, due)
        changes = {pk for function in functions for pk in function.due_changes}
        for function in functions:
            yield function.pk, read_occasion(rows, function.due_to, changes)


def _rows_of(contests: Iterable[Contest], due: Due) -> list[FollowUp]:
    told = [row for contest in contests for row in due.get(contest.function.pk, ())]
    return sorted(told, key=lambda row: row.pk)


def _find(
    units: Sequence[Unit], due: Due, occasions: Mapping[int, Occasion]
) -> list[list[Finding]]:
    """Bring the squares up to date, have run what is missing, and apply the rules."""
    contests = [contest for unit in units for contest in unit.contests]
    deferred = {
        contest.function.pk
        for unit in units
        for company in unit.companies
        if unit.chase is None and any(contest.awaits_another() for contest in company)
        for contest in company
    }
    refreshed = refresh_cells(contests, functools.partial(ask, occasions, deferred))
    for contest, each in zip(contests, refreshed, strict=True):
        cause = occasions[contest.function.pk].cause
        supersede(each.pointless, recorder=RECORDER, cause=cause, successor=each.batch)
    of_function = {
        contest.function.pk: each for contest, each in zip(contests, refreshed, strict=True)
    }
    found: list[list[Finding]] = []
    for unit in units:
        is_over = unit.chase and oscillation.is_over(
            unit.chase, unit.contests, _rows_of(unit.contests, due)
        )
        for company in unit.companies:
            outcomes = _outcomes(company, of_function)
            if unit.chase:
                findings = _keep(company, outcomes, occasions, of_function, is_over=bool(is_over))
            else:
                findings = _decide(company, outcomes, occasions, of_function, deferred)
            found.append(findings)
    return found


def _outcomes(company: Company, refreshed: Mapping[int, Refreshed]) -> Outcomes:
    """Apply the rules to functions that are elected or tried together."""
    ids = [contest.function.pk for contest in company]
    squares = {pair: square for pk in ids for pair, square in refreshed[pk].squares.items()}
    squares = find_culprits(company, squares)
    return agree(company, {one.function.pk: hold_election(one, squares) for one in company})


def _keep(
    company: Company,
    outcomes: Outcomes,
    occasions: Mapping[int, Occasion],
    refreshed: Mapping[int, Refreshed],
    *,
    is_over: bool,
) -> list[Finding]:
    """Leave unsettled functions as they are, or have them judged anew."""
    current = {one.function.pk: one.function.elected_id for one in company}
    if is_over:
        outcomes = {pk: one.postponed(current[pk]) for pk, one in outcomes.items()}
        return _findings(company, outcomes, occasions, refreshed, dict.fromkeys(current, _SETTLED))
    outcomes = {pk: one.kept(current[pk]) for pk, one in outcomes.items()}
    return _findings(company, outcomes, occasions, refreshed)


_SETTLED = {"chase_id": None}


def _decide(
    company: Company,
    outcomes: Outcomes,
    occasions: Mapping[int, Occasion],
    refreshed: Mapping[int, Refreshed],
    deferred: Collection[int],
) -> list[Finding]:
    """Change what is elected, as far as it is time."""
    current = {one.function.pk: one.function.elected_id for one in company}
    if current.keys() & deferred:
        outcomes = {pk: one.postponed(current[pk]) for pk, one in outcomes.items()}
    elif _goes_round(outcomes, current, occasions):
        outcomes = {pk: one.kept(current[pk]) for pk, one in outcomes.items()}
    gave_way = _give_way(company, outcomes)
    arrange(company, outcomes)
    return _findings(company, outcomes, occasions, refreshed, gave_way)


def _findings(
    company: Company,
    outcomes: Outcomes,
    occasions: Mapping[int, Occasion],
    refreshed: Mapping[int, Refreshed],
    more: Mapping[int, Mapping[str, Any]] | None = None,
) -> list[Finding]:
    return [
        Finding(
            contest=contest,
            occasion=occasions[contest.function.pk],
            outcome=outcomes[contest.function.pk],
            fields={
                **standing(contest, outcomes[contest.function.pk]),
                **(more or {}).get(contest.function.pk, {}),
            },
            rekeyed=refreshed[contest.function.pk].rekeyed,
            changes=occasions[contest.function.pk].changes,
        )
        for contest in company
    ]


def _give_way(company: Company, outcomes: Outcomes) -> dict[int, dict[str, Any]]:
    """Have the next candidate tried of those that failed together; return what its row says."""
    found = find_who_gives_way(company, outcomes)
    if found is None:
        return {}
    contest, work = found
    return {contest.function.pk: {"gave_way": contest.give_way(work)}}


def _goes_round(
    outcomes: Outcomes, current: Mapping[int, int | None], occasions: Mapping[int, Occasion]
) -> bool:
    """Tell whether this changes an election so far down a cascade that it would never end."""
    changed = [pk for pk, one in outcomes.items() if one.decision.elected != current[pk]]
    if not any(occasions[pk].depth > DEEPEST_CASCADE for pk in changed):
        return False
    log.error("the cascade at function %s goes round; its election stands", changed[0])
    return True


def _still_true(findings: Iterable[list[Finding]]) -> Iterator[list[Finding]]:
    """Leave out what others are to see, and was found of functions that have changed since.

    That is left to the next call: here, more executions would be locked out of order.
    """
    companies = list(findings)
    seen = [each for each in companies if any(one.is_seen_by_others for one in each)]
    reloaded = reload_changed([one.contest for each in seen for one in each])
    changed = {contest.function.pk for contest in reloaded}
    for each in companies:
        if any(one.function.pk in changed for one in each):
            announce((one.contest, one.rekeyed) for one in each if one.rekeyed)
        else:
            yield each


def _look_again(findings: Sequence[Finding]) -> None:
    """Have those looked at again that may be tried together now, or stand together otherwise.

    So are those whose new current implementation may give a challenge standing by passing it.
    """
    occasion = findings[0].occasion
    changed = [finding for finding in findings if finding.changes_election]
    is_to_be_tried = changed and (len(findings) > 1 or changed[0].fields["elected_id"] is None)
    is_to_be_reviewed = any(finding.outcome.has_challenges for finding in changed)
    if is_to_be_tried or is_to_be_reviewed or any(finding.gives_way for finding in findings):
        settle_soon(
            [finding.function.pk for finding in findings],
            cause=occasion.all_causes,
            depth=occasion.depth + 1,
            batch=occasion.batch,
            actor=occasion.actor,
            owner=occasion.owner,
            changes=occasion.changes.union(*(finding.changes for finding in findings)),
        )
