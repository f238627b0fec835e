"""Keeps verdicts of acceptance tests up to date: a test is run when its program changes."""

from collections.abc import Collection, Sequence

from django.db.models import QuerySet

from functions.contests.acceptance_programs import program_of
from functions.contests.carryover import is_provisional
from functions.contests.cells import MAX_MESSAGE_LENGTH, load_results
from functions.contests.evaluation import LOWEST_PRIORITY
from functions.graph.queries import living_functions
from functions.locks import find_and_lock_function
from functions.models import AcceptanceTest, Notice
from functions.notifications.watches import notify_watchers
from runner.batches.submission import submit_batch
from runner.models import FollowUp
from runner.pipelines.outbox import append_event
from runner.programs.program import PreparedProgram
from runner.registry import FinishedTask
from runner.states import State

RECORDER = "functions.acceptance"
REVIEW_PRIORITY = 1  # the priority of a cascade's programs


def review(target: str, rows: Sequence[FollowUp]) -> None:  # noqa: ARG001 - equal for all
    """Refresh all acceptance tests of a function's owner; a follow-up handler."""
    if find_and_lock_function(int(target)) is not None:
        for test in _published().filter(function=int(target)).order_by("pk"):
            refresh_test(test, cause=f"acceptance test {test} of {test.target.name}")


def refresh_test(test: AcceptanceTest, *, cause: str) -> None:
    """Set the test's current program, and run it if it has changed.

    The caller has locked the row of the test's function, not the test's own, which recorders lock
    after their executions.
    """
    _follow_target(test)
    program, asleep = program_of(test)
    former = bytes(test.key) if test.key is not None else None
    if (former, test.asleep) == (program.key if program else None, asleep):
        return
    is_same = program and former and test.verdict and is_provisional(program, former)
    test.key, test.asleep, test.given_up = program.key if program else None, asleep, False
    if not is_same:
        test.verdict, test.message = "", ""
    former_verdict = test.verdict
    if program:
        _submit(test, program, cause, priority=LOWEST_PRIORITY if is_same else REVIEW_PRIORITY)
    test.save(update_fields=["target", "key", "asleep", "verdict", "message", "given_up"])
    if test.verdict != former_verdict:
        notify_failing(test)
    if test.verdict != former_verdict or asleep:
        publish_verdict(test)


def _submit(test: AcceptanceTest, program: PreparedProgram, cause: str, *, priority: int) -> None:
    submit_batch(
        topic=test.topic,
        programs=[program],
        cause=cause[:100],
        recorder=RECORDER,
        priority=priority,
    )
    # Known results are never recorded again; later ones find the test by its key.
    if known := load_results([program.key]).get(program.key):
        test.verdict, test.message = known.verdict, known.message


def _follow_target(test: AcceptanceTest) -> None:
    """Rebind a deleted target to a new function of the same name, as dependencies are."""
    if test.target.deleted_at is not None:
        found = living_functions([test.target.name_key])
        test.target = found.get(test.target.name_key, test.target)


def record_acceptance(finished: Sequence[FinishedTask]) -> None:
    """Write verdicts to the acceptance tests of these programs; a recorder."""
    by_key = {task.key: task for task in finished}
    tests = AcceptanceTest.objects.select_related("function", "target").filter(key__in=list(by_key))
    for test in tests.select_for_update(no_key=True, of=("self",)).order_by("pk"):
        task, former_verdict = by_key[bytes(test.key or b"")], test.verdict
        if task.state == State.SUCCEEDED:
            test.verdict, test.given_up = task.verdict or "", False
            test.message = task.message[:MAX_MESSAGE_LENGTH]
        elif not test.verdict:
            test.given_up = True
        test.save(update_fields=["verdict", "message", "given_up"])
        if test.verdict != former_verdict:
            notify_failing(test)
        publish_verdict(test)


def notify_failing(test: AcceptanceTest) -> None:
    """Notify watchers of both functions once if the test fails."""
    if test.is_failing and test.state == AcceptanceTest.State.PUBLISHED:
        notify_watchers(
            function=test.target,
            more_functions=[test.function],
            kind=Notice.Kind.ACCEPTANCE,
            text=f"does not pass the acceptance test {test} of {test.function}",
            subject=test,
            once=f"{test.pk} {bytes(test.key or b'').hex()[:32]}",
        )


def publish_verdict(test: AcceptanceTest) -> None:
    """Publish the test's state to the pages of both functions."""
    payload = {
        "id": test.pk,
        "function": test.function.name,
        "target": test.target.name,
        "state": test.state,
        "verdict": test.verdict,
        "asleep": test.asleep,
    }
    for topic in (test.function.topic, test.target.topic):
        append_event(topic, "acceptance.changed", payload)


def keys_in_use(keys: Sequence[bytes]) -> Collection[bytes]:
    """Return the keys that acceptance tests use; a retention rule."""
    used = AcceptanceTest.objects.filter(key__in=keys).values_list("key", flat=True)
    return [bytes(key) for key in used if key is not None]


def _published() -> QuerySet[AcceptanceTest]:
    published = AcceptanceTest.State.PUBLISHED
    tests = AcceptanceTest.objects.filter(state=published, function__deleted_at=None)
    return tests.select_related("function", "target")
