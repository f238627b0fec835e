"""Workers one of whose statements never ends: it is ended, and their leases are not kept by it."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from django.db import connection
from django.db.models.functions import Now

from runner.models import Attempt, Execution, Result
from runner.programs.program import PreparedProgram
from runner.states import BatchState, State
from tests.patience import await_that
from tests.runner.workers.test_processes import said_in
from tests.support.batches import await_end, program, submit, worker_process
from tests.support.site import url_of_test_database

pytestmark = pytest.mark.django_db(transaction=True)

STUCK = "stuck"  # a worker's name in the database
LEASE = {"SOCIALCODE_LEASE_SECONDS": "3"}
STAND_STILL = """
    create function stand_still() returns trigger language plpgsql as $$
    begin
        if current_setting('application_name') = 'stuck' then
            perform pg_sleep(600);
        end if;
        return new;
    end $$;
    create trigger stand_still before insert or update on {table}
    for each row execute function stand_still();
"""
STATEMENT_OF_STUCK = """
    select count(*) from pg_stat_activity
    where datname = current_database() and application_name = 'stuck' and wait_event = 'PgSleep'
"""
# Of this database alone: another process may run another of these tests on its own.
END_STUCK = """
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'stuck'
"""


def short(number: int = 0) -> PreparedProgram:
    """Return a program that takes a while."""
    return program(f"import time\ntime.sleep(0.5)\nnumber = {number}")


@contextmanager
def endless_statement(table: str) -> Iterator[None]:
    """Have each statement that writes there never end, for the worker that is to be stuck."""
    with psycopg.connect(url_of_test_database(), autocommit=True) as other:
        other.execute(STAND_STILL.format(table=table))
        try:
            yield
        finally:
            other.execute(END_STUCK)
            other.execute("drop function stand_still cascade")


def is_stuck() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(STATEMENT_OF_STUCK)
        return bool(cursor.fetchone()[0])


def is_lease_over() -> bool:
    rows = Execution.objects.filter(state=State.IN_PROGRESS)
    return rows.filter(leased_until__lt=Now()).exists()


def test_what_a_stuck_worker_has_executed_is_executed_by_another(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    submit([program()])
    batch = submit([short()], topic="function:2")
    with (
        endless_statement("runner_event"),
        worker_process(tmp_path, PGAPPNAME=STUCK, **LEASE) as worker,
    ):
        await_that(is_stuck, what="the worker tells of the first, without end")
        # The second is executed, and waits to be written.
        await_that(is_lease_over, what="its lease is over")
        assert worker.poll() is None
        with worker_process(tmp_path / "other", **LEASE):
            assert await_end(batch).state == BatchState.COMPLETE
        assert is_stuck()
        assert "leases are given up" in said_in(tmp_path)
    attempts = Attempt.objects.filter(execution__tasks__batch=batch).order_by("pk")
    outcomes = list(attempts.values_list("outcome", flat=True))
    assert outcomes == [Attempt.Outcome.LOST, Attempt.Outcome.RECORDED]


def test_a_lock_that_another_session_never_gives_back_keeps_no_lease_alive(tmp_path: Path) -> None:
    with worker_process(tmp_path, **LEASE), psycopg.connect(url_of_test_database()) as other:
        other.execute("lock table runner_result in access exclusive mode")
        batch = submit([program()])
        await_that(Execution.objects.filter(state=State.IN_PROGRESS).exists, what="it is executed")
        await_that(is_lease_over, what="its lease is over")
        assert "leases are given up" in said_in(tmp_path)
        other.rollback()
        assert await_end(batch).state == BatchState.COMPLETE


def test_a_statement_of_a_worker_ends_and_its_work_is_written_after_all(tmp_path: Path) -> None:
    limit = {"SOCIALCODE_WORKER_STATEMENT_SECONDS": "1"}
    with worker_process(tmp_path, PGAPPNAME=STUCK, **limit):
        with endless_statement("runner_result"):
            batch = submit([program()])
            await_that(is_stuck, what="the worker writes, without end")
            await_that(
                lambda: "due to statement timeout" in said_in(tmp_path), what="that is ended"
            )
        assert await_end(batch).state == BatchState.COMPLETE
    assert Result.objects.count() == 1


def is_unchanged(count: Callable[[], int]) -> bool:
    """Tell whether this stays the same for as long as six programs take."""
    before = count()
    time.sleep(3)
    return count() == before


def test_a_worker_that_is_stuck_claims_nothing_more(tmp_path: Path) -> None:
    submit([program()])
    submit([short(number) for number in range(40)], topic="function:2")
    unclaimed = Execution.objects.filter(attempts=0)
    with (
        endless_statement("runner_event"),
        worker_process(tmp_path, PGAPPNAME=STUCK, **LEASE),
    ):
        await_that(lambda: "leases are given up" in said_in(tmp_path), what="it lets go")
        await_that(lambda: is_unchanged(unclaimed.count), what="it claims nothing more")
        assert is_stuck()
        assert unclaimed.exists()
