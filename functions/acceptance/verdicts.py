"""Keeps what acceptance tests say: they are run when what they mean is another program."""

from collections.abc import Collection, Sequence

from django.db.models import QuerySet

from functions.acceptance.programs import program_of
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
from runner.registry import Finished
from runner.states import State

RECORDER = "functions.acceptance"
REVIEW_PRIORITY = 1  # as what a cascade runs


def review(target: str, rows: Sequence[FollowUp]) -> None:  # noqa: ARG001 - all say the same
    """Look at a function's acceptance tests of others; a follow-up."""
    if find_and_lock_function(int(target)) is not None:
        for test in _published().filter(function=int(target)).order_by("pk"):
            bring_up_to_date(test, cause=f"acceptance test {test} of {test.target.name}")


def bring_up_to_date(test: AcceptanceTest, *, cause: str) -> None:
    """Let the test mean its present program, and have it run if that is another than before.

    The caller holds the row of the test's function, not the test's own: who records has executions
    already when it locks that.
    """
    _find_target_again(test)
    program, asleep = program_of(test)
    former = bytes(test.key) if test.key is not None else None
    if (former, test.asleep) == (program.key if program else None, asleep):
        return
    is_same = program and former and test.verdict and is_provisional(program, former)
    test.key, test.asleep, test.given_up = program.key if program else None, asleep, False
    if not is_same:
        test.verdict, test.message = "", ""
    said = test.verdict
    if program:
        _submit(test, program, cause, priority=LOWEST_PRIORITY if is_same else REVIEW_PRIORITY)
    test.save(update_fields=["target", "key", "asleep", "verdict", "message", "given_up"])
    if test.verdict != said:
        tell_failing(test)
    if test.verdict != said or asleep:
        announce(test)


def _submit(test: AcceptanceTest, program: PreparedProgram, cause: str, *, priority: int) -> None:
    submit_batch(
        topic=test.topic,
        programs=[program],
        cause=cause[:100],
        recorder=RECORDER,
        priority=priority,
    )
    # What is known by now is told to nobody later; what comes later finds the key.
    if known := load_results([program.key]).get(program.key):
        test.verdict, test.message = known.verdict, known.message


def _find_target_again(test: AcceptanceTest) -> None:
    """Follow a target that was deleted and has been defined anew, as dependencies do."""
    if test.target.deleted_at is not None:
        found = living_functions([test.target.name_key])
        test.target = found.get(test.target.name_key, test.target)


def record_acceptance(finished: Sequence[Finished]) -> None:
    """Write verdicts to the tests that mean these programs now; a recorder."""
    told = {task.key: task for task in finished}
    tests = AcceptanceTest.objects.select_related("function", "target").filter(key__in=list(told))
    for test in tests.select_for_update(no_key=True, of=("self",)).order_by("pk"):
        task, said = told[bytes(test.key or b"")], test.verdict
        if task.state == State.SUCCEEDED:
            test.verdict, test.given_up = task.verdict or "", False
            test.message = task.message[:MAX_MESSAGE_LENGTH]
        elif not test.verdict:
            test.given_up = True
        test.save(update_fields=["verdict", "message", "given_up"])
        if test.verdict != said:
            tell_failing(test)
        announce(test)


def tell_failing(test: AcceptanceTest) -> None:
    """Tell those who watch one of the functions of a program that fails, once."""
    if test.is_failing and test.state == AcceptanceTest.State.PUBLISHED:
        notify_watchers(
            function=test.target,
            beside=[test.function],
            kind=Notice.Kind.ACCEPTANCE,
            text=f"does not pass the acceptance test {test} of {test.function}",
            subject=test,
            once=f"{test.pk} {bytes(test.key or b'').hex()[:32]}",
        )


def announce(test: AcceptanceTest) -> None:
    """Tell both pages how it stands."""
    told = {
        "id": test.pk,
        "function": test.function.name,
        "target": test.target.name,
        "state": test.state,
        "verdict": test.verdict,
        "asleep": test.asleep,
    }
    for topic in (test.function.topic, test.target.topic):
        append_event(topic, "acceptance.changed", told)


def keep_acceptance(keys: Sequence[bytes]) -> Collection[bytes]:
    """Return those of these keys that acceptance tests mean; a keeper."""
    meant = AcceptanceTest.objects.filter(key__in=keys).values_list("key", flat=True)
    return [bytes(key) for key in meant if key is not None]


def _published() -> QuerySet[AcceptanceTest]:
    published = AcceptanceTest.State.PUBLISHED
    tests = AcceptanceTest.objects.filter(state=published, function__deleted_at=None)
    return tests.select_related("function", "target")
