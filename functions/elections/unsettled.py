"""Traces of changed elections, and start and end of chases."""

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from django.db.models import Exists, OuterRef

from functions.contests.contest import Contest
from functions.contests.evaluation import enqueue_reconcile
from functions.elections.causes import Change, Trace, latest_changes, trace_of
from functions.elections.cycle_groups import Unit
from functions.elections.cycles import apply_decisions
from functions.elections.election import function_fields
from functions.elections.events import publish_standings
from functions.elections.oscillation import (
    Loop,
    basis_of,
    causing_tests,
    find_loop,
    previously_elected,
)
from functions.elections.standings import ElectionResult
from functions.models import Chase, Function, Notice
from functions.notifications.watches import notify_watchers

ElectionResults = list[list[ElectionResult]]  # by cycle group


class MoreToLock(Exception):
    """Raised with functions of a chase that are not locked yet."""

    def __init__(self, function_ids: Iterable[int]) -> None:
        self.function_ids = frozenset(function_ids)
        super().__init__(self.function_ids)


def trace_changes(
    results: ElectionResults, units: Sequence[Unit], also_lock: Collection[int]
) -> ElectionResults:
    """Add to each result the trace of its causes; if they close a loop, begin a chase instead.

    A chase restores the former elections of its functions, and is then all that this call changes.
    Raises MoreToLock if it involves functions that aren't locked. Functions that are locked only
    for that (`also_lock`) are left out. The caller holds the elections lock.
    """
    results = _without_incomplete(results, units)
    due = [each for each in results if _ids(each).isdisjoint(also_lock)]
    changing = [each for each in due if any(one.changes_election for one in each)]
    caused_by = {pk for each in changing for one in each for pk in one.trigger.changes}
    latest = latest_changes(caused_by.union(*map(_ids, changing)))
    for each in changing:
        elected = {one.function.pk: one.fields["elected_id"] for one in each}
        current = {one.function.pk: one.function.elected_id for one in each}
        causes = _causes(each, latest)
        loop = find_loop(elected, current, causes, latest)
        members = _members(loop, each, units, also_lock) if loop else []
        if loop and members and loop.is_current(members):
            unsettled = _unsettle(loop, members, results, causes, each[0].trigger.owner)
            written = _ids(unsettled)
            _postpone(each for each in results if _ids(each).isdisjoint(written))
            return [unsettled] if unsettled else []
    _postpone(each for each in results if not _ids(each).isdisjoint(also_lock))
    return [_traced(each, latest) for each in due]


def _without_incomplete(results: ElectionResults, units: Iterable[Unit]) -> ElectionResults:
    """Drop the results of a chase if one of its members has changed meanwhile."""
    found = {pk for each in results for pk in _ids(each)}
    parts = {pk for unit in units if unit.chase and not unit.ids <= found for pk in unit.ids}
    _postpone(each for each in results if not _ids(each).isdisjoint(parts))
    return [each for each in results if _ids(each).isdisjoint(parts)]


def _ids(results: Iterable[ElectionResult]) -> set[int]:
    return {result.function.pk for result in results}


def _causes(results: Sequence[ElectionResult], latest: Mapping[int, Change]) -> list[Change]:
    """Return the latest changes of the other functions that led to this."""
    others = {pk for one in results for pk in one.trigger.changes} - _ids(results)
    return [latest[pk] for pk in sorted(others) if pk in latest]


def _traced(results: list[ElectionResult], latest: Mapping[int, Change]) -> list[ElectionResult]:
    changed = frozenset(one.function.pk for one in results if one.changes_election)
    if not changed:
        return results
    causes = _causes(results, latest)
    return [
        replace(one, changes=changed, trace=trace_of(causes, basis_of(one.contest)))
        for one in results
    ]


def _postpone(results: Iterable[Sequence[ElectionResult]]) -> None:
    """Defer these to the next call, but publish their cells, which are written already."""
    for each in results:
        publish_standings((one.contest, one.rekeyed) for one in each if one.rekeyed)


def _members(
    loop: Loop, results: Sequence[ElectionResult], units: Sequence[Unit], also_lock: Collection[int]
) -> list[Contest]:
    """Return all contests of a loop's units; none if a function was deleted."""
    wanted = {*loop.functions, *_ids(results)}
    found = [unit for unit in units if unit.ids & wanted]
    missing = wanted.difference(*(unit.ids for unit in found))
    if missing - set(also_lock) and Function.objects.filter(pk__in=missing, deleted_at=None):
        raise MoreToLock(missing)
    return [] if missing else [contest for unit in found for contest in unit.contests]


def _unsettle(
    loop: Loop,
    contests: Sequence[Contest],
    results: ElectionResults,
    causes: Sequence[Change],
    owner: int | None,
) -> list[ElectionResult]:
    """Begin a chase: restore each function's election from before the cascade.

    Follow-ups are queued as this owner's. Returns an empty list if one of the functions has
    changed meanwhile.
    """
    found = {one.function.pk: one for each in results for one in each}
    if not all(contest.function.pk in found for contest in contests):
        return []
    chase = _create_chase(loop, contests, owner)
    chosen = previously_elected(loop, contests)
    outcomes = {
        pk: found[pk].outcome.kept(work.pk if work else None) for pk, work in chosen.items()
    }
    apply_decisions(contests, outcomes, force=True)
    changed = [
        contest.function.pk
        for contest in contests
        if contest.function.elected_id != outcomes[contest.function.pk].decision.elected
    ]
    cause_ids = sorted({change.id for change in (*loop.path, *causes)})
    enqueue_reconcile(
        found.keys() & chosen.keys(), cause=_cause(chase), owner=owner, changes=changed
    )
    return [
        replace(
            found[contest.function.pk],
            outcome=outcomes[contest.function.pk],
            trigger=replace(
                found[contest.function.pk].trigger,
                cause=_cause(chase),
                causes=(_cause(chase),),
                depth=0,
                batch=None,
                owner=owner,
                changes=frozenset(),
            ),
            fields=function_fields(contest, outcomes[contest.function.pk])
            | {"chase_id": chase.pk, "proposed_id": None},
            changes=frozenset(changed),
            trace=Trace(
                tuple(cause_ids),
                loop.began,
                bytes.fromhex(chase.bases[f"{contest.function.pk}"]),
                True,
            ),
        )
        for contest in contests
    ]


def _create_chase(loop: Loop, contests: Sequence[Contest], owner: int | None) -> Chase:
    """Record the chase with the tests that cause it, and notify watchers once."""
    functions = {contest.function.pk: contest.function for contest in contests}
    path = [functions[pk] for pk in dict.fromkeys((*loop.functions, *functions))]
    chase = Chase.objects.create(
        names=[function.name for function in path],
        tests=causing_tests(loop, contests),
        bases={f"{contest.function.pk}": basis_of(contest).hex() for contest in contests},
        began=loop.began,
    )
    named = " ".join([*sorted(chase.names), *map(str, chase.tests)])
    notify_watchers(
        function=path[0],
        more_functions=path[1:],
        kind=Notice.Kind.UNSETTLED,
        text=_cause(chase),
        actor=None,
        owner=owner,
        once=hashlib.sha256(named.encode()).hexdigest()[:32],
    )
    return chase


def _cause(chase: Chase) -> str:
    return f"the elections of {chase} chase each other: unsettled"[:200]


def end_chases(units: Iterable[Unit], results: ElectionResults) -> None:
    """Delete chases that have ended, and enqueue elections of their functions."""
    written = {one.function.pk: one for each in results for one in each}
    for unit in units:
        found = [written[pk] for pk in unit.ids if pk in written]
        if unit.chase is None or any(one.fields["chase_id"] == unit.chase.pk for one in found):
            continue
        if len(found) == len(unit.ids):
            Chase.objects.filter(pk=unit.chase.pk).delete()
            _enqueue_judging([one for one in found if one.fields["chase_id"] is None])


def delete_chases_of(gone: Iterable[int]) -> None:
    """Delete chases of deleted functions that have no living function left."""
    living = Function.objects.filter(chase=OuterRef("pk"), deleted_at=None)
    Chase.objects.filter(~Exists(living), functions__in=list(gone)).delete()


def _enqueue_judging(results: Sequence[ElectionResult]) -> None:
    if results:
        trigger = results[0].trigger
        enqueue_reconcile(
            _ids(results),
            cause=trigger.all_causes,
            batch=trigger.batch,
            actor=trigger.actor,
            owner=next((one.trigger.owner for one in results if one.trigger.owner), None),
            changes={pk for one in results for pk in one.trigger.changes},
        )
