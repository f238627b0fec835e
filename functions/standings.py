"""Keeps every function's standing: holds its elections and lets them travel to its dependents."""

import functools
import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from functions.cascades import open_level, supersede
from functions.circles import Outcomes, agree, arrange
from functions.contests import Contest, Pair, load_contests
from functions.elections import Outcome, closure_digest, hold_election, status_of
from functions.evaluation import (
    LOWEST_PRIORITY,
    RECORDER,
    is_told_already,
    settle_soon,
    submit_pairs,
)
from functions.locks import find_and_lock_functions, lock_elections
from functions.meanings import Keys
from functions.models import Function, Implementation, Test
from functions.nodes import find_company
from functions.occasions import Occasion, read_occasion, record_election
from functions.querysets import dependent_ids, reached_ids, waiting_ids
from functions.refreshing import refresh_cells
from functions.reviews import review_soon
from functions.standing_events import announce
from functions.watching import tell_of_standing
from runner.models import Batch, FollowUp
from runner.programs import PreparedProgram

log = logging.getLogger(__name__)

# A cascade that has come so far goes round: two functions' tests unseat each other's choice.
DEEPEST_CASCADE = 256
CASCADE_PRIORITY = 1


@dataclass(frozen=True, slots=True)
class Finding:
    """What an election comes to, before anything of it is written."""

    contest: Contest
    occasion: Occasion
    outcome: Outcome
    fields: dict[str, Any]  # the function's own standing
    rekeyed: Keys

    @property
    def changes_election(self) -> bool:
        return bool(self.fields["elected_id"] != self.contest.function.elected_id)


def settle(target: str, rows: Sequence[FollowUp]) -> None:
    """Hold the election of one function, have run what it lacks, and tell who depends on it.

    Functions that are elected or tried together have theirs held together.

    A follow-up: called in a transaction, for all arrivals at once, as often as it likes.

    Only what others see is written under the lock of all elections, and only if others are then
    what they were when it was found. What is read of them without the lock may be old: who has
    changed tells us, and we are called again.
    """
    pk = int(target)
    company = find_company(pk)
    functions = {function.pk: function for function in find_and_lock_functions(company)}
    if pk not in functions:
        return
    occasions = {each: read_occasion(rows, one.due_to) for each, one in functions.items()}
    is_alone = len(functions) == 1 and not functions[pk].circle and not functions[pk].proposed_id
    if not is_alone and find_company(pk) != sorted(functions):
        _begin_anew(pk, (), occasions[pk])
        return
    contests = load_contests(functions.values())
    findings = _find(contests, occasions)
    if any(map(_is_seen_by_others, findings)):
        lock_elections()
        if any(contest.reload_nodes() for contest in contests):
            _begin_anew(pk, findings, occasions[pk])
            return
    _look_again(findings, occasions[pk])
    for finding in findings:
        _write(finding)


def _begin_anew(pk: int, findings: Sequence[Finding], occasion: Occasion) -> None:
    """Leave the election to the next call: here, more executions would be locked out of order."""
    for finding in findings:
        if finding.rekeyed:
            announce(finding.contest, finding.rekeyed)
    settle_soon(
        [pk],
        cause=occasion.all_causes,
        depth=occasion.depth,
        batch=occasion.batch,
        by=occasion.by,  # they have not been heeded yet
        actor=occasion.actor,
    )


def _look_again(findings: Sequence[Finding], occasion: Occasion) -> None:
    """Have those looked at again that may be tried together now, or stand together otherwise."""
    changed = [finding for finding in findings if finding.changes_election]
    if changed and (len(findings) > 1 or changed[0].fields["elected_id"] is None):
        settle_soon(
            [finding.contest.function.pk for finding in findings],
            cause=occasion.all_causes,
            depth=occasion.depth + 1,
            batch=occasion.batch,
            actor=occasion.actor,
        )


def _find(contests: Sequence[Contest], occasions: Mapping[int, Occasion]) -> list[Finding]:
    """Bring the squares up to date, have run what is missing, and apply the rules."""
    is_deferred = any(contest.awaits_another() for contest in contests)
    ask = None if is_deferred else functools.partial(_ask, occasions)
    refreshed = refresh_cells(contests, ask)
    squares = {pair: square for one in refreshed for pair, square in one.squares.items()}
    outcomes = {one.function.pk: hold_election(one, squares) for one in contests}
    outcomes = agree(contests, outcomes)
    current = {one.function.pk: one.function.elected_id for one in contests}
    if is_deferred:
        outcomes = {pk: one.postponed(current[pk]) for pk, one in outcomes.items()}
    elif _goes_round(outcomes, current, occasions):
        outcomes = {pk: one.kept(current[pk]) for pk, one in outcomes.items()}
    arrange(contests, outcomes)
    findings = []
    for contest, each in zip(contests, refreshed, strict=True):
        pk = contest.function.pk
        supersede(
            each.pointless,
            recorder=RECORDER,
            cause=occasions[pk].cause,
            successor=each.batch,
        )
        fields = _standing(contest, outcomes[pk])
        findings.append(Finding(contest, occasions[pk], outcomes[pk], fields, each.rekeyed))
    return findings


def _goes_round(
    outcomes: Outcomes, current: Mapping[int, int | None], occasions: Mapping[int, Occasion]
) -> bool:
    """Tell whether this changes an election so far down a cascade that it would never end."""
    changed = [pk for pk, one in outcomes.items() if one.decision.elected != current[pk]]
    if not any(occasions[pk].depth > DEEPEST_CASCADE for pk in changed):
        return False
    log.error("the cascade at function %s goes round; its election stands", changed[0])
    return True


def _ask(
    occasions: Mapping[int, Occasion],
    contest: Contest,
    missing: Mapping[Pair, PreparedProgram],
    carried: Collection[Pair],
) -> Batch:
    """Have run what nobody has asked for yet: first for the candidate that would win."""
    occasion = occasions[contest.function.pk]
    return submit_pairs(
        missing,
        topic=contest.function.topic,
        owner=occasion.batch.owner if occasion.batch else None,
        cause=occasion.cause[:100],
        recorder=RECORDER,
        parent=occasion.batch,
        priority=CASCADE_PRIORITY,
        lower=_later(contest, missing, carried),
    )


def _later(
    contest: Contest, missing: Mapping[Pair, PreparedProgram], carried: Collection[Pair]
) -> dict[bytes, int]:
    """Return the priorities of what is behind the first candidate, in the order of election.

    Last comes what is only to be confirmed.
    """
    wanting = {pk for pk, test in missing if (pk, test) not in carried}
    ranked = sorted(
        (work for work in contest.implementations if work.pk in wanting),
        key=lambda work: (work.score, work.published_at, work.pk),
        reverse=True,
    )
    places = {work.pk: CASCADE_PRIORITY + place for place, work in enumerate(ranked)}
    priorities: dict[bytes, int] = {}
    for pair, program in missing.items():
        own = LOWEST_PRIORITY if pair in carried else min(places[pair[0]], LOWEST_PRIORITY)
        priorities[program.key] = min(own, priorities.get(program.key, own))
    return priorities


def _standing(contest: Contest, outcome: Outcome) -> dict[str, Any]:
    """Return what the function's own row says after this."""
    elected = contest.find(outcome.decision.elected)
    proposed = None if elected else contest.proposed
    status, blocked_by = status_of(contest, elected)
    return {
        "elected_id": outcome.decision.elected,
        "status": status,
        "blocked_by": blocked_by,
        "untested": outcome.untested,
        "judging": outcome.decision.is_waiting,
        "proposed_id": proposed.pk if proposed else None,
        "circle": list(contest.circle),
        "closure_digest": closure_digest(contest, elected or proposed),
    }


def _is_seen_by_others(finding: Finding) -> bool:
    fields, function = finding.fields, finding.contest.function
    return fields["judging"] != function.judging or _imported(function) != (
        fields["elected_id"],
        fields["proposed_id"],
        fields["circle"],
        fields["status"],
        fields["closure_digest"],
    )


def _write(finding: Finding) -> None:
    """Write all standings, and tell the page and the dependents what has changed."""
    contest, occasion = finding.contest, finding.occasion
    function = contest.function
    was_judging, before = function.judging, _imported(function)
    works_changed = _write_works(contest, finding.outcome)
    function_changed = _write_function(contest, finding.fields, occasion)
    if works_changed or function_changed or finding.rekeyed:
        announce(contest, finding.rekeyed)
    told: list[int] = []
    if _imported(function) != before or function.elected_id is None:
        review_soon(function)
    if _imported(function) != before:
        told = dependent_ids(function.pk)
        if is_told_already(told, by=function):
            # By when they look, this may be as it was before: they find nothing new then, and tell
            # nobody. Whoever imports this through them may have seen it in between.
            told = reached_ids(function.pk)
    if was_judging and not function.judging:
        told = sorted({*told, *waiting_ids(function.pk)})
    if told:
        _tell(function, told, occasion)


def _tell(function: Function, told: Sequence[int], occasion: Occasion) -> None:
    """Have elections held for those who depend on the function.

    As long as it is being judged itself they only learn what their squares mean by now, all the
    way down; they are judged after it, as the next level, when it tells them so.
    """
    batch = occasion.batch
    if not function.judging:
        batch = open_level(function, batch, occasion.cause)
    cause = f"{function.name} changed"
    settle_soon(
        told,
        cause=cause,
        depth=occasion.depth + 1,
        batch=batch,
        by=[function.pk],
        actor=occasion.actor,
    )


def _imported(function: Function) -> tuple[int | None, int | None, list[str], str, bytes]:
    """Return what dependents see of the function."""
    digest = bytes(function.closure_digest)
    return function.elected_id, function.proposed_id, function.circle, function.status, digest


def _write_works(contest: Contest, outcome: Outcome) -> bool:
    """Write the standings that are new; false if none is."""
    implementations = [
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
    tests = [
        test
        for test in contest.tests
        if _assign(
            test,
            health=outcome.tests[test.pk].health.value,
            reason=outcome.tests[test.pk].reason[:300],
            counts=outcome.tests[test.pk].counts,
        )
    ]
    Implementation.objects.bulk_update(
        implementations, ["standing", "standing_reason", "passed", "counting", "cpu_us"]
    )
    Test.objects.bulk_update(tests, ["health", "reason", "counts"])
    return bool(implementations or tests)


def _write_function(contest: Contest, fields: dict[str, Any], occasion: Occasion) -> bool:
    """Write the function's own standing, and the election if it changed; false if nothing did.

    Those who watch the function are told.
    """
    function = contest.function
    tell_of_standing(
        function,
        elected=contest.find(fields["elected_id"]),
        blocked_by=fields["blocked_by"],
        cause=occasion.all_causes,
        actor=occasion.actor,
    )
    if fields["elected_id"] != function.elected_id:
        record_election(function, fields["elected_id"], occasion, fields["circle"])
        function.changed_at = timezone.now()
    is_changed = _assign(function, **fields)
    is_due = function.judging or function.proposed_id is not None
    due_to = occasion.all_causes if is_due else ""
    if _assign(function, due_to=due_to) or is_changed:
        function.save(update_fields=[*fields, "due_to", "changed_at"])
    return is_changed


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
