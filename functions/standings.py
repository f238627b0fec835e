"""Standings: what elections have found is written, and travels to who depends on it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from functions.cascades import Levels
from functions.contests import Contest
from functions.elections import Outcome
from functions.evaluation import Telling, settle_all_soon, tellers_of
from functions.meanings import Keys
from functions.models import Function, Implementation, Test
from functions.occasions import Occasion, record_election
from functions.querysets import dependents_of, reached_ids, waiting_for
from functions.reviews import review_soon
from functions.rows import write_rows
from functions.standing_events import announce
from functions.watching import tell_of_standing

_OF_IMPLEMENTATIONS = ["standing", "standing_reason", "passed", "counting", "cpu_us"]
_OF_TESTS = ["health", "reason", "counts"]
_OF_FUNCTIONS = [
    "elected_id",
    "status",
    "blocked_by",
    "untested",
    "judging",
    "proposed_id",
    "circle",
    "closure_digest",
    "due_to",
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

    @property
    def function(self) -> Function:
        return self.contest.function

    @property
    def changes_election(self) -> bool:
        return bool(self.fields["elected_id"] != self.function.elected_id)

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
    changed = _write_works(findings) | _write_functions(findings)
    announce(
        (one.contest, one.rekeyed) for one in findings if one.function.pk in changed or one.rekeyed
    )
    others_see = [one for one in findings if _imported(one.function) != before[one.function.pk]]
    unelected = [one for one in findings if one.function.elected_id is None]
    review_soon(*{one.function.pk: one.function for one in [*others_see, *unelected]}.values())
    ended = [one for one in findings if one.function.pk in judging and not one.function.judging]
    _tell(findings, _whom_to_tell(others_see, ended))


def _whom_to_tell(others_see: Iterable[Finding], ended: Iterable[Finding]) -> dict[int, list[int]]:
    """Return for each function the others that are to look at it."""
    told = dependents_of([one.function.pk for one in others_see])
    tellers = tellers_of({pk for each in told.values() for pk in each})
    for teller, each in told.items():
        if any(teller in tellers[pk] for pk in each):
            # By when they look, this may be as it was before: they find nothing new then, and tell
            # nobody. Whoever imports this through them may have seen it in between.
            told[teller] = reached_ids(teller)
    waiting = waiting_for([one.function.pk for one in ended])
    return {
        pk: sorted({*told.get(pk, ()), *waiting.get(pk, ())}) for pk in told.keys() | waiting.keys()
    }


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
        )
    ]


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
        )
        if finding.changes_election:
            record_election(function, fields["elected_id"], occasion, fields["circle"])
            function.changed_at = timezone.now()
        is_changed = _assign(function, **fields)
        is_due = function.judging or function.proposed_id is not None
        due_to = occasion.all_causes if is_due else ""
        if _assign(function, due_to=due_to) or is_changed:
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
