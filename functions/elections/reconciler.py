"""Reconciles functions: updates cells, schedules missing runs, and holds and writes elections.

Many functions at once cost little more than one.
"""

import logging
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.db import transaction

from functions.canaries.notices import enqueue_notices
from functions.contests.cells import find_culprits
from functions.contests.contest import Contest
from functions.contests.evaluation import RECORDER, enqueue_reconcile
from functions.contests.loader import reload_changed
from functions.elections import oscillation
from functions.elections.cascades import supersede
from functions.elections.cycle_groups import CycleGroup, Unit, choose_units, load_units
from functions.elections.cycles import (
    Outcomes,
    apply_decisions,
    find_who_gives_way,
    merge_decisions,
)
from functions.elections.election import function_fields, hold_election
from functions.elections.events import publish_standings
from functions.elections.refresh import Refreshed, refresh_cells
from functions.elections.standings import ElectionResult, write_standings
from functions.elections.triggers import Trigger, read_trigger
from functions.elections.unsettled import MoreToLock, delete_chases_of, end_chases, trace_changes
from functions.locks import lock_elections
from functions.models import Function
from runner.models import FollowUp
from runner.registry import RowsByTarget

log = logging.getLogger(__name__)

# A last resort: chases are detected by their causes long before this depth.
MAX_CASCADE_DEPTH = 10_000
# Limits of one call: functions, and cells of all of them.
MAX_FUNCTIONS = 64
MAX_CELLS = 2_000

Due = Mapping[int, Sequence[FollowUp]]


def reconcile(arrivals: RowsByTarget) -> list[str]:
    """Hold the elections of functions, schedule their missing runs, and notify dependents.

    Returns the targets that are done. Dependents of other functions in the same call, and
    functions beyond its limits, are left to the next call. A cycle group is elected together.

    A follow-up handler: called in a transaction for all arrivals at once; safe to repeat.

    Only changes that others see are written under the elections lock, and only if the dependencies
    are unchanged by then. Unlocked reads may be stale; a changed dependency enqueues us again, so
    the next run corrects them.

    If a chase is detected, everything is rolled back and repeated with all its functions locked.
    """
    due = {int(target): rows for target, rows in arrivals.items()}
    also_lock = frozenset[int]()
    while True:
        try:
            with transaction.atomic():
                return _reconcile(due, also_lock)
        except MoreToLock as more:
            also_lock |= more.function_ids


def _reconcile(due: Due, also_lock: Collection[int]) -> list[str]:
    living = Function.objects.filter(deleted_at=None).in_bulk(list(due))
    delete_chases_of(due.keys() - living.keys())
    some = _first_portion([living[pk] for pk in due if pk in living])
    units = load_units(some, also_lock)
    extra_units = [unit for unit in units if not unit.ids.isdisjoint(also_lock)]
    units = [
        *choose_units([unit for unit in units if unit.ids.isdisjoint(also_lock)]),
        *extra_units,
    ]
    triggers = dict(_read_triggers(units, due))
    results = _find(units, due, triggers)
    if any(result.is_seen_by_others for each in results for result in each):
        lock_elections()
        results = list(_still_valid(results))
    results = trace_changes(results, units, also_lock)
    for each in results:
        _enqueue_again(each)
    changed = write_standings([result for each in results for result in each])
    enqueue_notices(changed)
    end_chases(units, results)
    settled = {result.function.pk for each in results for result in each}
    return [str(pk) for pk in due if pk in settled or pk not in living]


def _first_portion(functions: Sequence[Function]) -> list[Function]:
    """Return as many of the first functions as one call may handle."""
    cells = 0
    for number, function in enumerate(functions):
        cells += function.last_implementation_number * (1 + function.last_test_number)
        if number and cells > MAX_CELLS:
            return list(functions[:number])
    return list(functions)


def _read_triggers(units: Iterable[Unit], due: Due) -> Iterator[tuple[int, Trigger]]:
    for cycle_group in (cycle_group for unit in units for cycle_group in unit.cycle_groups):
        functions = [contest.function for contest in cycle_group]
        rows = _rows_of(cycle_group, due)
        changes = {pk for function in functions for pk in function.due_changes}
        for function in functions:
            yield function.pk, read_trigger(rows, function.due_to, changes)


def _rows_of(contests: Iterable[Contest], due: Due) -> list[FollowUp]:
    rows = [row for contest in contests for row in due.get(contest.function.pk, ())]
    return sorted(rows, key=lambda row: row.pk)


def _find(
    units: Sequence[Unit], due: Due, triggers: Mapping[int, Trigger]
) -> list[list[ElectionResult]]:
    """Update the cells, schedule missing programs, and apply the rules."""
    contests = [contest for unit in units for contest in unit.contests]
    deferred = {
        contest.function.pk
        for unit in units
        for cycle_group in unit.cycle_groups
        if unit.chase is None and any(contest.awaits_dependency() for contest in cycle_group)
        for contest in cycle_group
    }
    refreshed = refresh_cells(contests, triggers, deferred)
    for contest, each in zip(contests, refreshed, strict=True):
        cause = triggers[contest.function.pk].cause
        supersede(each.obsolete, recorder=RECORDER, cause=cause, successor=each.batch)
    of_function = {
        contest.function.pk: each for contest, each in zip(contests, refreshed, strict=True)
    }
    found: list[list[ElectionResult]] = []
    for unit in units:
        has_ended = unit.chase and oscillation.has_ended(
            unit.chase, unit.contests, _rows_of(unit.contests, due)
        )
        for cycle_group in unit.cycle_groups:
            outcomes = _outcomes(cycle_group, of_function)
            if unit.chase:
                results = _keep_unsettled(
                    cycle_group, outcomes, triggers, of_function, has_ended=bool(has_ended)
                )
            else:
                results = _decide(cycle_group, outcomes, triggers, of_function, deferred)
            found.append(results)
    return found


def _outcomes(cycle_group: CycleGroup, refreshed: Mapping[int, Refreshed]) -> Outcomes:
    """Apply the rules to a cycle group."""
    ids = [contest.function.pk for contest in cycle_group]
    cell_results = {
        pair: result for pk in ids for pair, result in refreshed[pk].cell_results.items()
    }
    cell_results = find_culprits(cycle_group, cell_results)
    return merge_decisions(
        cycle_group, {one.function.pk: hold_election(one, cell_results) for one in cycle_group}
    )


def _keep_unsettled(
    cycle_group: CycleGroup,
    outcomes: Outcomes,
    triggers: Mapping[int, Trigger],
    refreshed: Mapping[int, Refreshed],
    *,
    has_ended: bool,
) -> list[ElectionResult]:
    """Keep the elections of unsettled functions, or postpone them if their chase has ended."""
    current = {one.function.pk: one.function.elected_id for one in cycle_group}
    if has_ended:
        outcomes = {pk: one.postponed(current[pk]) for pk, one in outcomes.items()}
        return _results(
            cycle_group, outcomes, triggers, refreshed, dict.fromkeys(current, _NO_CHASE)
        )
    outcomes = {pk: one.kept(current[pk]) for pk, one in outcomes.items()}
    return _results(cycle_group, outcomes, triggers, refreshed)


_NO_CHASE = {"chase_id": None}


def _decide(
    cycle_group: CycleGroup,
    outcomes: Outcomes,
    triggers: Mapping[int, Trigger],
    refreshed: Mapping[int, Refreshed],
    deferred: Collection[int],
) -> list[ElectionResult]:
    """Decide the elections of a cycle group, unless they are deferred."""
    current = {one.function.pk: one.function.elected_id for one in cycle_group}
    if current.keys() & deferred:
        outcomes = {pk: one.postponed(current[pk]) for pk, one in outcomes.items()}
    elif _is_too_deep(outcomes, current, triggers):
        outcomes = {pk: one.kept(current[pk]) for pk, one in outcomes.items()}
    gave_way = _give_way(cycle_group, outcomes)
    apply_decisions(cycle_group, outcomes)
    return _results(cycle_group, outcomes, triggers, refreshed, gave_way)


def _results(
    cycle_group: CycleGroup,
    outcomes: Outcomes,
    triggers: Mapping[int, Trigger],
    refreshed: Mapping[int, Refreshed],
    more: Mapping[int, Mapping[str, Any]] | None = None,
) -> list[ElectionResult]:
    return [
        ElectionResult(
            contest=contest,
            trigger=triggers[contest.function.pk],
            outcome=outcomes[contest.function.pk],
            fields={
                **function_fields(contest, outcomes[contest.function.pk]),
                **(more or {}).get(contest.function.pk, {}),
            },
            rekeyed=refreshed[contest.function.pk].rekeyed,
            changes=triggers[contest.function.pk].changes,
        )
        for contest in cycle_group
    ]


def _give_way(cycle_group: CycleGroup, outcomes: Outcomes) -> dict[int, dict[str, Any]]:
    """Go on to the next candidate after a failed trial; return the function's new fields."""
    found = find_who_gives_way(cycle_group, outcomes)
    if found is None:
        return {}
    contest, work = found
    return {contest.function.pk: {"gave_way": contest.give_way(work)}}


def _is_too_deep(
    outcomes: Outcomes, current: Mapping[int, int | None], triggers: Mapping[int, Trigger]
) -> bool:
    """Return whether this changes an election at a depth that only an endless cascade reaches."""
    changed = [pk for pk, one in outcomes.items() if one.decision.elected != current[pk]]
    if not any(triggers[pk].depth > MAX_CASCADE_DEPTH for pk in changed):
        return False
    log.error("cascade at function %s is too deep; its election is kept", changed[0])
    return True


def _still_valid(results: Iterable[list[ElectionResult]]) -> Iterator[list[ElectionResult]]:
    """Drop results that others would see, if their dependencies have changed meanwhile.

    The next call repeats them: doing so here would lock more executions, out of order.
    """
    cycle_groups = list(results)
    seen = [each for each in cycle_groups if any(one.is_seen_by_others for one in each)]
    reloaded = reload_changed([one.contest for each in seen for one in each])
    changed = {contest.function.pk for contest in reloaded}
    for each in cycle_groups:
        if any(one.function.pk in changed for one in each):
            publish_standings((one.contest, one.rekeyed) for one in each if one.rekeyed)
        else:
            yield each


def _enqueue_again(results: Sequence[ElectionResult]) -> None:
    """Enqueue another election where this one may lead to further changes.

    That is after a change within a cycle or to no implementation, after a candidate gave way, and
    if a new current implementation may give a challenge standing by passing it.
    """
    trigger = results[0].trigger
    changed = [result for result in results if result.changes_election]
    is_to_be_tried = changed and (len(results) > 1 or changed[0].fields["elected_id"] is None)
    is_to_be_reviewed = any(result.outcome.has_challenges for result in changed)
    if is_to_be_tried or is_to_be_reviewed or any(result.gives_way for result in results):
        enqueue_reconcile(
            [result.function.pk for result in results],
            cause=trigger.all_causes,
            depth=trigger.depth + 1,
            batch=trigger.batch,
            actor=trigger.actor,
            owner=trigger.owner,
            changes=trigger.changes.union(*(result.changes for result in results)),
        )
