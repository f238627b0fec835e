"""Writes the results of elections, and enqueues the elections of dependents."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import Model
from django.utils import timezone

from functions.contests.contest import Contest
from functions.contests.evaluation import (
    ReconcileRequest,
    enqueue_reconcile_requests,
    pending_changes,
)
from functions.contests.programs import Keys
from functions.contests.test_rules import StandingCause, TestStanding
from functions.elections.acceptance_review import enqueue_review
from functions.elections.cascades import Levels
from functions.elections.causes import Trace
from functions.elections.election import Outcome
from functions.elections.events import publish_standings
from functions.elections.releases import record_releases
from functions.elections.triggers import NO_TRACE, Trigger, record_election
from functions.graph.queries import (
    dependents_of,
    of_other_owners,
    transitive_dependents,
    waiting_for,
)
from functions.graph.usage import publish_dependents
from functions.kinds import record_elections
from functions.models import Function, Implementation, Test
from functions.notifications.watches import enqueue_failing_notices, notify_of_standing
from functions.webhooks.events import Event, announce, election_changed, status_changed

_OF_IMPLEMENTATIONS = ["standing", "standing_reason", "passed", "counting", "cpu_us"]
_OF_TESTS = [
    "health",
    "reason",
    "counts",
    "standing_cause",
    "standing_since",
    "proven_by_id",
    "proven_uses",
]
_OF_FUNCTIONS = [
    "elected_id",
    "status",
    "blocked_by",
    "untested",
    "judging",
    "proposed_id",
    "gave_way",
    "circle",
    "closure_digest",
    "due_to",
    "due_changes",
    "chase_id",
    "changed_at",
]


@dataclass(frozen=True, slots=True)
class ElectionResult:
    """The result of an election that is not written yet."""

    contest: Contest
    trigger: Trigger
    outcome: Outcome
    fields: dict[str, Any]  # new values of the function's row
    rekeyed: Keys
    # Functions whose changed elections dependents are notified of, and the trace of this change.
    changes: frozenset[int] = frozenset()
    trace: Trace = NO_TRACE

    @property
    def function(self) -> Function:
        return self.contest.function

    @property
    def changes_election(self) -> bool:
        return bool(self.fields["elected_id"] != self.function.elected_id)

    @property
    def gives_way(self) -> bool:
        """Return whether the function goes on to its next candidate within a cycle."""
        return self.fields["gave_way"] not in (None, self.function.gave_way)

    @property
    def is_seen_by_others(self) -> bool:
        """Return whether the result changes anything that dependents see or wait for."""
        fields = self.fields
        return fields["judging"] != self.function.judging or _visible_to_others(self.function) != (
            fields["elected_id"],
            fields["proposed_id"],
            fields["circle"],
            fields["status"],
            fields["closure_digest"],
        )


def write_standings(results: Sequence[ElectionResult]) -> list[Function]:
    """Write all standings, publish them, notify dependents; returns the functions that changed.

    Takes as many queries for many functions as for one. None of the functions may depend on
    another, except within a cycle group.
    """
    judging = {one.function.pk for one in results if one.function.judging}
    statuses = {one.function.pk: one.function.status for one in results}
    before = {one.function.pk: _visible_to_others(one.function) for one in results}
    challenges = {one.function.pk: _challenges_to_report(one) for one in results}
    changed = _write_works(results) | _write_functions(results)
    publish_standings(
        (one.contest, one.rekeyed) for one in results if one.function.pk in changed or one.rekeyed
    )
    seen_by_others = [
        one for one in results if _visible_to_others(one.function) != before[one.function.pk]
    ]
    unelected = [one for one in results if one.function.elected_id is None]
    relabelled = [one for one in results if one.function.status != statuses[one.function.pk]]
    publish_dependents(pk for one in relabelled for pk in one.contest.targets)
    enqueue_review({one.function: one.trigger.owner for one in [*seen_by_others, *unelected]})
    ended = [one for one in results if one.function.pk in judging and not one.function.judging]
    decided = {one.function.pk: one.function for one in [*seen_by_others, *ended]}
    settled = [function for function in decided.values() if not function.judging]
    record_elections(settled)
    record_releases(settled)
    _notify_dependents(results, _dependents_to_notify(seen_by_others, ended))
    for one in results:
        if tests := challenges[one.function.pk]:
            enqueue_failing_notices(one.function.pk, tests, owner_id=one.trigger.owner)
    return [one.function for one in results if one.function.pk in changed]


def _dependents_to_notify(
    seen_by_others: Iterable[ElectionResult], ended: Iterable[ElectionResult]
) -> dict[int, list[int]]:
    """Return for each function the dependents to enqueue."""
    seen_by_others = list(seen_by_others)
    to_notify = dependents_of([one.function.pk for one in seen_by_others])
    pending = pending_changes({pk for each in to_notify.values() for pk in each})
    for changed, each in to_notify.items():
        if any(changed in pending[pk] for pk in each):
            # A dependent still has to handle an earlier change. It may find this function as it was
            # before both, and notify nobody, though indirect dependents saw the state in between.
            to_notify[changed] = transitive_dependents(changed)
    waiting = waiting_for([one.function.pk for one in ended])
    released = {one.function.pk: _released(one) for one in seen_by_others}
    groups = (to_notify, waiting, released)
    return {
        pk: sorted({other for each in groups for other in each.get(pk, ())})
        for pk in to_notify.keys() | waiting.keys()
    }


def _released(result: ElectionResult) -> list[int]:
    """Return other owners' functions that it no longer imports; their ties are decided again."""
    contest, function = result.contest, result.function
    former, now = contest.elected, contest.find_implementation(function.elected_id)
    if former is None or former == now:
        return []
    still = {link.target for link in contest.links_of(now)} if now else set()
    gone = {link.target for link in contest.links_of(former)} - still
    return of_other_owners([pk for pk in gone if pk], function.owner_id) if gone else []


def _challenges_to_report(result: ElectionResult) -> list[int]:
    """Return challenges that the current implementation may fail, if either of them is new."""
    tests, elected = result.outcome.tests, result.fields["elected_id"]
    is_new = result.changes_election and elected is not None
    return [
        test.pk
        for test in result.contest.tests
        if tests[test.pk].cause == StandingCause.NONE and (is_new or test.standing_cause)
    ]


def _notify_dependents(
    results: Sequence[ElectionResult], dependents: Mapping[int, Sequence[int]]
) -> None:
    """Enqueue elections of dependents.

    While a function is being judged itself, dependents only update the keys of their cells, all
    the way down. They are judged after it, as the next level, when it notifies them again.
    """
    changed = [one for one in results if dependents.get(one.function.pk)]
    judged = [one for one in changed if not one.function.judging]
    levels = Levels(one.trigger.batch for one in judged if one.trigger.batch)
    enqueue_reconcile_requests(
        [
            ReconcileRequest(
                dependents[one.function.pk],
                cause=f"{one.function.name} changed",
                depth=one.trigger.depth + 1,
                batch=one.trigger.batch
                if one.function.judging
                else levels.open(one.function, one.trigger.batch, one.trigger.cause),
                changed_by=[one.function.pk],
                actor=one.trigger.actor,
                owner=one.trigger.owner,
                changes=one.changes,
            )
            for one in changed
        ]
    )


def _visible_to_others(function: Function) -> tuple[int | None, int | None, list[str], str, bytes]:
    """Return the fields that dependents see."""
    digest = bytes(function.closure_digest)
    return function.elected_id, function.proposed_id, function.circle, function.status, digest


def _write_works(results: Iterable[ElectionResult]) -> set[int]:
    """Write changed standings of works; return the ids of their functions."""
    implementations: list[Implementation] = []
    tests: list[Test] = []
    for result in results:
        implementations += _changed_implementations(result.contest, result.outcome)
        tests += _changed_tests(result.contest, result.outcome)
    _write_rows("functions_implementation", _OF_IMPLEMENTATIONS, implementations)
    _write_rows("functions_test", _OF_TESTS, tests)
    changed = {work.function_id for work in implementations}
    return changed | {test.function_id for test in tests}


def _changed_implementations(contest: Contest, outcome: Outcome) -> list[Implementation]:
    return [
        work
        for work in contest.implementations
        if _assign(
            work,
            standing=outcome.candidates[work.pk].standing.value,
            standing_reason=outcome.candidates[work.pk].reason[:200],
            passed=outcome.candidates[work.pk].passed,
            counting=outcome.candidates[work.pk].counting,
            cpu_us=outcome.cpu_us.get(work.pk),
        )
    ]


def _changed_tests(contest: Contest, outcome: Outcome) -> list[Test]:
    return [
        test
        for test in contest.tests
        if _assign(
            test,
            health=outcome.tests[test.pk].health.value,
            reason=outcome.tests[test.pk].reason[:300],
            counts=outcome.tests[test.pk].counts,
            **_standing_of_test(test, outcome.tests[test.pk]),
        )
    ]


def _standing_of_test(test: Test, standing: TestStanding) -> dict[str, Any]:
    """Return the recorded standing of a test; its start is kept as long as the cause stays."""
    proof, is_same = standing.proof, test.standing_cause == standing.cause
    since = test.standing_since if is_same else timezone.now() if standing.cause else None
    return {
        "standing_cause": standing.cause.value,
        "standing_since": since,
        "proven_by_id": proof.implementation if proof else None,
        "proven_uses": proof.uses if proof else b"",
    }


def _write_functions(results: Iterable[ElectionResult]) -> set[int]:
    """Write changed standings of functions and their elections; notify watchers and webhooks.

    Returns the ids of the changed functions.
    """
    rows: list[Function] = []
    changed: set[int] = set()
    events: list[Event] = []
    for result in results:
        function, trigger, fields = result.function, result.trigger, result.fields
        notify_of_standing(
            function,
            elected=result.contest.find_implementation(fields["elected_id"]),
            blocked_by=fields["blocked_by"],
            cause=trigger.all_causes,
            actor=trigger.actor,
            owner=trigger.owner,
        )
        if event := status_changed(
            function,
            status=fields["status"],
            blocked_by=fields["blocked_by"],
            cause=trigger.all_causes,
            actor=trigger.actor,
        ):
            events.append(event)
        if result.changes_election:
            elected, circle = fields["elected_id"], fields["circle"]
            election = record_election(function, elected, trigger, circle, result.trace)
            events.append(election_changed(election, trigger.actor))
            function.changed_at = timezone.now()
        is_changed = _assign(function, **fields)
        is_due = function.judging or function.proposed_id is not None
        due_to = trigger.all_causes if is_due else ""
        due_changes = sorted(trigger.changes) if function.judging else []
        if _assign(function, due_to=due_to, due_changes=due_changes) or is_changed:
            rows.append(function)
        if is_changed:
            changed.add(function.pk)
    _write_rows("functions_function", _OF_FUNCTIONS, rows)
    announce(events)
    return changed


def _assign(row: Function | Implementation | Test, **values: Any) -> bool:
    """Set these attributes; return whether any of them changed."""
    changed = False
    for name, value in values.items():
        former = getattr(row, name)
        former = bytes(former) if isinstance(former, memoryview) else former
        if former != value:
            setattr(row, name, value)
            changed = True
    return changed


def _write_rows(table: str, columns: Sequence[str], rows: Sequence[Model]) -> None:
    """Write these columns of all rows, from the attributes of the same names.

    Django's `bulk_update` builds an expression per row and column: a third of an election's cost.
    """
    if not rows:
        return
    assigned = ", ".join(f"{column} = given.{column}" for column in columns)
    given = [{"id": row.pk, **{name: getattr(row, name) for name in columns}} for row in rows]
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE {table} AS present SET {assigned}"  # noqa: S608 - names of ours
            f" FROM jsonb_populate_recordset(null::{table}, %s) AS given"
            " WHERE present.id = given.id",
            [json.dumps(given, default=_literal)],
        )


def _literal(value: Any) -> str:
    """Return PostgreSQL's text form of an instant or of bytes."""
    if isinstance(value, datetime):
        return value.isoformat()
    return "\\x" + bytes(value).hex()
