"""Elections are shared fairly: in whose turn each is, and a newcomer's beside somebody's many."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest
from django.db import connection, transaction

from functions.authoring import withdraw
from functions.authoring.definitions import delete_function
from functions.contests.evaluation import RECONCILE
from functions.elections.reconciler import MAX_FUNCTIONS
from functions.maintenance.runtime_upgrade import enqueue_rerun
from functions.models import Function, Implementation
from functions.moderation.acceptability import judge_work
from functions.notifications.watches import NOTIFY_FAILING
from runner.batches.submission import submit_batch
from runner.models import FanOut, FollowUp
from runner.pipelines.fan_out import PAGE_JOB
from runner.pipelines.follow_ups import run_due_follow_ups
from runner.pipelines.outbox import enqueue_follow_up
from runner.workers.drainer import Drainer
from tests.patience import await_that
from tests.support.batches import worker_process
from tests.support.works import account, constant, define, implement, publish_test, vote

pytestmark = pytest.mark.django_db(transaction=True)

MANY = 300
WORKERS = 2
# Whose follow-ups have ended, in their order; each takes a moment, as elections of real works do.
_LOG_ENDS = """
    create table ended (id bigserial primary key, target text);
    create function log_end() returns trigger language plpgsql as $$
    begin
        perform pg_sleep(0.004);
        insert into ended (target) values (old.target);
        return old;
    end $$;
    create trigger log_end after delete on runner_followup
        for each row execute function log_end();
"""
_FORGET_ENDS = """
    drop trigger log_end on runner_followup;
    drop function log_end();
    drop table ended;
"""


def run(statement: str, *values: str) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return [target for (target,) in cursor] if cursor.description else []


def ended() -> list[str]:
    return run("select target from ended order by id")


def ask_for_elections(asker: str, functions: list[Function]) -> None:
    """Have elections held for these, as what somebody has published does."""
    with transaction.atomic():
        batch = submit_batch(
            topic=functions[0].topic, programs=[], owner=account(asker), cause="a test"
        )
        for function in functions:
            enqueue_follow_up(
                RECONCILE, str(function.pk), batch=batch, arguments={"cause": "a test"}
            )


def functions_of(owner: str, count: int) -> list[Function]:
    made = (
        Function(name=f"{owner}{number}", name_key=f"{owner}{number}", owner=account(owner))
        for number in range(count)
    )
    return Function.objects.bulk_create(made)


def test_a_newcomers_election_is_held_next_while_hundreds_of_somebody_else_wait(
    tmp_path: Path,
) -> None:
    crowd, [one] = functions_of("crowd", MANY), functions_of("newcomer", 1)
    run(_LOG_ENDS)
    try:
        with ExitStack() as workers:
            for _ in range(WORKERS):
                workers.enter_context(worker_process(tmp_path))
            ask_for_elections("crowd", crowd)
            await_that(ended, what="elections are held")
            ask_for_elections("newcomer", [one])
            before = len(ended())
            assert before < MANY / 2
            await_that(lambda: not FollowUp.objects.exists(), what="all elections are held")
        # What both workers were at, and as much again.
        assert ended().index(str(one.pk)) - before <= 2 * WORKERS * MAX_FUNCTIONS
        assert len(ended()) == MANY + 1
    finally:
        run(_FORGET_ENDS)


def owners_of(name: str) -> set[str | None]:
    return set(FollowUp.objects.filter(name=name).values_list("owner__username", flat=True))


def test_what_a_publication_causes_is_its_authors_all_the_way_down(worker: Drainer) -> None:
    base, above = define("Base", owner="olga"), define("Above", owner="otto")
    implement(base, constant("Base", 1), author="ida")
    implement(above, "# <<Base>>\ndef Above(*args):\n    return Base()\n", author="otto")
    worker.drain()
    implement(base, constant("Base", 2), author="olga")
    assert owners_of(RECONCILE) == {"olga"}
    asked: list[set[str | None]] = []
    while FollowUp.objects.filter(name=RECONCILE).exists():
        run_due_follow_ups(seconds=0)
        asked.append(owners_of(RECONCILE))
    worker.drain()
    above.refresh_from_db()
    assert set().union(*asked) <= {"olga"}
    assert above.status == Function.Status.IMPLEMENTED
    # Of both functions' new implementations and standings, in the turns of who has caused them.
    notices = FanOut.objects.filter(name__startswith="notice:").order_by("-pk")
    assert notices[0].owner == account("olga")


def _accept(work: Implementation) -> None:
    judge_work(actor=account("olga"), work=work, acceptable=False, reason="a test")


def _withdraw(work: Implementation) -> None:
    withdraw(actor=account("ida"), work=work)


def _vote(work: Implementation) -> None:
    vote(work, up="vera")


def _delete(work: Implementation) -> None:
    delete_function(actor=account("olga"), function=work.function)


def _upgrade(work: Implementation) -> None:
    with transaction.atomic():
        enqueue_rerun([work.function_id], FanOut())


@pytest.mark.parametrize(
    ("act", "whose"),
    [
        (_accept, "olga"),
        (_withdraw, "ida"),
        (_vote, "vera"),
        (_delete, "olga"),
        (_upgrade, None),
    ],
)
def test_an_election_is_in_the_turn_of_whoever_has_caused_it(
    worker: Drainer, act: Callable[[Implementation], None], whose: str | None
) -> None:
    base, above = define("Base", owner="olga"), define("Above", owner="otto")
    work = implement(base, constant("Base", 1), author="ida")
    implement(above, "# <<Base>>\ndef Above(*args):\n    return Base()\n", author="otto")
    worker.drain()
    work.refresh_from_db()
    act(work)
    assert owners_of(RECONCILE) == {whose}


def test_authors_are_told_of_what_fails_in_the_turn_of_who_has_caused_it(worker: Drainer) -> None:
    base = define("Base")
    implement(base, constant("Base", 1), author="ida")
    publish_test(base, "assert Base() == 2", author="olga")
    worker.drain()
    publish_test(base, "assert Base() == 2", author="tess")  # its result is known
    assert owners_of(NOTIFY_FAILING) == {"tess"}
    worker.drain()
    assert not FollowUp.objects.exclude(name=PAGE_JOB).exists()
