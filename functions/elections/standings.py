"""Standings: what elections have found is written, and travels to who depends on it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from functions.contests.contest import Contest
from functions.contests.evaluation import Telling, settle_all_soon, tellers_of
from functions.contests.programs import Keys
from functions.contests.test_rules import StandingCause, TestStanding
from functions.elections.acceptance_review import review_soon
from functions.elections.bulk_update import write_rows
from functions.elections.cascades import Levels
from functions.elections.causes import Trace
from functions.elections.election import Outcome
from functions.elections.events import announce
from functions.elections.triggers import NO_TRACE, Occasion, record_election
from functions.graph.queries import dependents_of, of_other_owners, reached_ids, waiting_for
from functions.models import Function, Implementation, Test
from functions.notifications.watches import tell_failing_soon, tell_of_standing

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
class Finding:
    """What an election comes to, before anything of it is written."""

    contest: Contest
    occasion: Occasion
    outcome: Outcome
    fields: dict[str, Any]  # the function's own standing
    rekeyed: Keys
    # the functions whose changed elections others are told of, and what is recorded of this change
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
        """Tell whether its next candidate is to be tried together with others."""
        return self.fields["gave_way"] not in (None, self.function.gave_way)

    @property
    def is_seen_by_others(self) -> bool:
        """Tell whether others see something new, or may have waited for it."""
        fields = self.fields
        return fields["judging"] != self.function.judging or _imported(self.function) != (
            fields["elected_id"],
            fields["proposed_id"],
            fields["circle"],
            fields["status"],
            fields["closure_digest"],
        )


def write_standings(findings: Sequence[Finding]) -> None:
    """Write all standings, and tell pages and dependents what has changed.

    In as many queries for many functions as for one. None of these leads to another of them, apart
    from those that are elected together.
    """
    judging = {one.function.pk for one in findings if one.function.judging}
    before = {one.function.pk: _imported(one.function) for one in findings}
    challenges = {one.function.pk: _challenges_to_tell(one) for one in findings}
    changed = _write_works(findings) | _write_functions(findings)
    announce(
        (one.contest, one.rekeyed) for one in findings if one.function.pk in changed or one.rekeyed
    )
    others_see = [one for one in findings if _imported(one.function) != before[one.function.pk]]
    unelected = [one for one in findings if one.function.elected_id is None]
    review_soon({one.function: one.occasion.owner for one in [*others_see, *unelected]})
    ended = [one for one in findings if one.function.pk in judging and not one.function.judging]
    _tell(findings, _whom_to_tell(others_see, ended))
    for one in findings:
        if tests := challenges[one.function.pk]:
            tell_failing_soon(one.function.pk, tests, owner_id=one.occasion.owner)


def _whom_to_tell(others_see: Iterable[Finding], ended: Iterable[Finding]) -> dict[int, list[int]]:
    """Return for each function the others that are to look at it."""
    others_see = list(others_see)
    told = dependents_of([one.function.pk for one in others_see])
    tellers = tellers_of({pk for each in told.values() for pk in each})
    for teller, each in told.items():
        if any(teller in tellers[pk] for pk in each):
            # By when they look, this may be as it was before: they find nothing new then, and tell
            # nobody. Whoever imports this through them may have seen it in between.
            told[teller] = reached_ids(teller)
    waiting = waiting_for([one.function.pk for one in ended])
    released = {one.function.pk: _released(one) for one in others_see}
    each_tells = (told, waiting, released)
    return {
        pk: sorted({other for each in each_tells for other in each.get(pk, ())})
        for pk in told.keys() | waiting.keys()
    }


def _released(finding: Finding) -> list[int]:
    """Return the functions of other owners that it imports no more: they may yield to an equal."""
    contest, function = finding.contest, finding.function
    former, now = contest.elected, contest.find(function.elected_id)
    if former is None or former == now:
        return []
    still = {link.target for link in contest.links_of(now)} if now else set()
    gone = {link.target for link in contest.links_of(former)} - still
    return of_other_owners([pk for pk in gone if pk], function.owner_id) if gone else []


def _challenges_to_tell(finding: Finding) -> list[int]:
    """Return the challenges that the current implementation may fail, as it or they are new."""
    tests, elected = finding.outcome.tests, finding.fields["elected_id"]
    is_new = finding.changes_election and elected is not None
    return [
        test.pk
        for test in finding.contest.tests
        if tests[test.pk].cause == StandingCause.NONE and (is_new or test.standing_cause)
    ]


def _tell(findings: Sequence[Finding], told: Mapping[int, Sequence[int]]) -> None:
    """Have elections held for those who depend on these functions.

    As long as one is being judged itself they only learn what their squares mean by now, all the
    way down; they are judged after it, as the next level, when it tells them so.
    """
    telling = [one for one in findings if told.get(one.function.pk)]
    judged = [one for one in telling if not one.function.judging]
    levels = Levels(one.occasion.batch for one in judged if one.occasion.batch)
    settle_all_soon(
        [
            Telling(
                told[one.function.pk],
                cause=f"{one.function.name} changed",
                depth=one.occasion.depth + 1,
                batch=one.occasion.batch
                if one.function.judging
                else levels.open(one.function, one.occasion.batch, one.occasion.cause),
                by=[one.function.pk],
                actor=one.occasion.actor,
                owner=one.occasion.owner,
                changes=one.changes,
            )
            for one in telling
        ]
    )


def _imported(function: Function) -> tuple[int | None, int | None, list[str], str, bytes]:
    """Return what dependents see of the function."""
    digest = bytes(function.closure_digest)
    return function.elected_id, function.proposed_id, function.circle, function.status, digest


def _write_works(findings: Iterable[Finding]) -> set[int]:
    """Write the standings that are new; return the functions of these."""
    implementations: list[Implementation] = []
    tests: list[Test] = []
    for finding in findings:
        implementations += _changed_implementations(finding.contest, finding.outcome)
        tests += _changed_tests(finding.contest, finding.outcome)
    write_rows("functions_implementation", _OF_IMPLEMENTATIONS, implementations)
    write_rows("functions_test", _OF_TESTS, tests)
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
    """Return what is recorded of the test's standing; since when, as long as the cause stays."""
    proof, is_same = standing.proof, test.standing_cause == standing.cause
    since = test.standing_since if is_same else timezone.now() if standing.cause else None
    return {
        "standing_cause": standing.cause.value,
        "standing_since": since,
        "proven_by_id": proof.implementation if proof else None,
        "proven_uses": proof.uses if proof else b"",
    }


def _write_functions(findings: Iterable[Finding]) -> set[int]:
    """Write the functions' own standings, and the elections that changed; return whose did.

    Those who watch them are told.
    """
    rows: list[Function] = []
    changed: set[int] = set()
    for finding in findings:
        function, occasion, fields = finding.function, finding.occasion, finding.fields
        tell_of_standing(
            function,
            elected=finding.contest.find(fields["elected_id"]),
            blocked_by=fields["blocked_by"],
            cause=occasion.all_causes,
            actor=occasion.actor,
            owner=occasion.owner,
        )
        if finding.changes_election:
            record_election(
                function, fields["elected_id"], occasion, fields["circle"], finding.trace
            )
            function.changed_at = timezone.now()
        is_changed = _assign(function, **fields)
        is_due = function.judging or function.proposed_id is not None
        due_to = occasion.all_causes if is_due else ""
        due_changes = sorted(occasion.changes) if function.judging else []
        if _assign(function, due_to=due_to, due_changes=due_changes) or is_changed:
            rows.append(function)
        if is_changed:
            changed.add(function.pk)
    write_rows("functions_function", _OF_FUNCTIONS, rows)
    return changed


def _assign(row: Function | Implementation | Test, **values: Any) -> bool:
    """Set these attributes; false if all of them had these values."""
    changed = False
    for name, value in values.items():
        former = getattr(row, name)
        former = bytes(former) if isinstance(former, memoryview) else former
        if former != value:
            setattr(row, name, value)
            changed = True
    return changed
