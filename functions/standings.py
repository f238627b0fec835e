"""Keeps every function's standing: holds its elections and lets them travel to its dependents."""

import functools
import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from functions.cascades import open_level, supersede
from functions.contests import Contest, Pair, load_contest
from functions.elections import Outcome, closure_digest, hold_election, status_of
from functions.evaluation import (
    LOWEST_PRIORITY,
    RECORDER,
    cell_rows,
    is_told_already,
    refresh_cells,
    settle_soon,
    submit_pairs,
)
from functions.locks import find_and_lock_function, lock_elections
from functions.meanings import Keys
from functions.models import Function, Implementation, Test
from functions.occasions import Occasion, read_occasion, record_election
from functions.querysets import dependent_ids, reached_ids, waiting_ids
from functions.reviews import review_soon
from functions.watching import tell_of_standing
from runner.models import Batch, FollowUp
from runner.outbox import append_event
from runner.programs import PreparedProgram

log = logging.getLogger(__name__)

# A cascade that has come so far goes round: two functions' tests unseat each other's choice.
DEEPEST_CASCADE = 256
CASCADE_PRIORITY = 1
# Beyond so many squares a page reads them itself.
MOST_CELLS_TOLD = 2_000


@dataclass(frozen=True, slots=True)
class Finding:
    """What an election comes to, before anything of it is written."""

    outcome: Outcome
    fields: dict[str, Any]  # the function's own standing
    rekeyed: Keys


def settle(target: str, rows: Sequence[FollowUp]) -> None:
    """Hold the election of one function, have run what it lacks, and tell who depends on it.

    A follow-up: called in a transaction, for all arrivals at once, as often as it likes.

    Only what others see is written under the lock of all elections, and only if others are then
    what they were when it was found. What is read of them without the lock may be old: who has
    changed tells us, and we are called again.
    """
    function = find_and_lock_function(int(target))
    if function is None:
        return
    occasion = read_occasion(rows, function.due_to)
    contest = load_contest(function)
    finding = _find(contest, occasion)
    if _is_seen_by_others(function, finding):
        lock_elections()
        if contest.reload_nodes():
            _begin_anew(contest, finding, occasion)
            return
    _write(contest, finding, occasion)


def _begin_anew(contest: Contest, finding: Finding, occasion: Occasion) -> None:
    """Leave the election to the next call: here, more executions would be locked out of order."""
    if finding.rekeyed:
        _announce(contest, finding.rekeyed)
    settle_soon(
        [contest.function.pk],
        cause=occasion.all_causes,
        depth=occasion.depth,
        batch=occasion.batch,
        by=occasion.by,  # they have not been heeded yet
        actor=occasion.actor,
    )


def _find(contest: Contest, occasion: Occasion) -> Finding:
    """Bring the squares up to date, have run what is missing, and apply the rules."""
    function = contest.function
    is_deferred = contest.awaits_another()
    ask = None if is_deferred else functools.partial(_ask, contest, occasion)
    refreshed = refresh_cells(contest, ask)
    supersede(
        refreshed.pointless,
        recorder=RECORDER,
        cause=occasion.cause,
        successor=refreshed.batch,
    )
    outcome = hold_election(contest, refreshed.squares)
    if is_deferred:
        outcome = outcome.postponed(function.elected_id)
    elif occasion.depth > DEEPEST_CASCADE and outcome.decision.elected != function.elected_id:
        log.error("the cascade at function %s goes round; its election stands", function.pk)
        outcome = outcome.kept(function.elected_id)
    return Finding(outcome, _standing(contest, outcome), refreshed.rekeyed)


def _ask(
    contest: Contest,
    occasion: Occasion,
    missing: Mapping[Pair, PreparedProgram],
    carried: Collection[Pair],
) -> Batch:
    """Have run what nobody has asked for yet: first for the candidate that would win."""
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
    status, blocked_by = status_of(contest, elected)
    return {
        "elected_id": outcome.decision.elected,
        "status": status,
        "blocked_by": blocked_by,
        "untested": outcome.untested,
        "judging": outcome.decision.is_waiting,
        "closure_digest": closure_digest(contest, elected),
    }


def _is_seen_by_others(function: Function, finding: Finding) -> bool:
    fields = finding.fields
    return fields["judging"] != function.judging or _imported(function) != (
        fields["elected_id"],
        fields["status"],
        fields["closure_digest"],
    )


def _write(contest: Contest, finding: Finding, occasion: Occasion) -> None:
    """Write all standings, and tell the page and the dependents what has changed."""
    function = contest.function
    was_judging, before = function.judging, _imported(function)
    works_changed = _write_works(contest, finding.outcome)
    function_changed = _write_function(contest, finding.fields, occasion)
    if works_changed or function_changed or finding.rekeyed:
        _announce(contest, finding.rekeyed)
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


def _imported(function: Function) -> tuple[int | None, str, bytes]:
    """Return what dependents see of the function."""
    return function.elected_id, function.status, bytes(function.closure_digest)


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
        record_election(function, fields["elected_id"], occasion)
        function.changed_at = timezone.now()
    is_changed = _assign(function, **fields)
    due_to = occasion.all_causes if function.judging else ""
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


def _announce(contest: Contest, rekeyed: Keys) -> None:
    """Tell the page how all stand, and which squares mean something else than before."""
    function = contest.function
    told: dict[str, Any] = {
        "function": function.pk,
        "status": function.status,
        "untested": function.untested,
        "judging": function.judging,
        "elected": function.elected_id,
        "implementations": [
            {
                "id": work.pk,
                "standing": work.standing,
                "passed": work.passed,
                "counting": work.counting,
                "score": work.score,
                "cpu_us": work.cpu_us,
            }
            for work in contest.implementations
        ],
        "tests": [
            {
                "id": test.pk,
                "health": test.health,
                "reason": test.reason,
                "counts": test.counts,
                "score": test.score,
            }
            for test in contest.tests
        ],
    }
    if len(rekeyed) <= MOST_CELLS_TOLD:
        told["cells"] = cell_rows(rekeyed)
    append_event(function.topic, "standing.changed", told)
