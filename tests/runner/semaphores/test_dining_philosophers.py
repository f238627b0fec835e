"""The dining philosophers on worker processes, which are killed meanwhile."""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from io import StringIO
from pathlib import Path
from subprocess import Popen

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.db.models import Count
from django.db.models.functions import Now

from runner.management.commands import philosophers
from runner.models import FollowUp, Incident, Ticket, TicketState
from runner.operations.sweeper import sweep
from runner.pipelines.doorbell import notify_workers
from runner.pipelines.follow_ups import run_due_follow_ups
from runner.semaphores.dining_philosophers import (
    Table,
    clear_table,
    is_idle,
    lay_table,
    read_seats,
    renew_table,
)
from runner.semaphores.semaphore import _lock
from socialcode.embedded.children import start_child
from tests.patience import PATIENCE_SECONDS, await_that
from tests.support.batches import in_threads, numbers, worker_process
from tests.support.site import ROOT, url_of_test_database

pytestmark = pytest.mark.django_db(transaction=True)

FIVE_LINES_UP = "\x1b[5F"
SOMEBODY_WAITS = """
    select exists (select from pg_locks where locktype = 'advisory' and not granted
                   and database = (select oid from pg_database where datname = current_database()))
"""


class Terminal(StringIO):
    """Takes what is said, and has it drawn as for somebody who looks on."""

    def isatty(self) -> bool:
        return True


def dine(*words: str, said: StringIO | None = None) -> tuple[int, str]:
    """Run the command here; return its exit code and what it said."""
    said = said or StringIO()
    try:
        call_command("philosophers", *words, stdout=said)
    except SystemExit as end:
        return int(str(end.code)), said.getvalue()
    return 0, said.getvalue()


def nothing_is_left() -> bool:
    return not Ticket.objects.exists() and not FollowUp.objects.exists()


def test_ordered_philosophers_all_eat_and_naive_ones_are_deadlocked_and_told_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with worker_process(tmp_path), worker_process(tmp_path):
        words = ("--seats", "5", "--rounds", "3", "--order", "ordered", "--eating", "0")
        code, said = dine(*words, said=Terminal())
        assert code == 0
        *_, last = said.split(FIVE_LINES_UP)
        assert said.count(FIVE_LINES_UP) > 1
        assert last.count("3/3  is done\n") == 5
        assert "All have eaten (15 meals), and all forks are free." in said
        assert nothing_is_left()
        assert not Incident.objects.exists()
        code, said = dine("--seats", "4", "--order", "naive")
    assert code == 3
    assert "every fork held, everyone waiting: 1 → 2 → 3 → 4 → 1" in said
    assert "1: has 1, waits for 2" in said
    assert "philosopher" not in caplog.text  # what is drawn is all that is said
    assert nothing_is_left()
    assert Incident.objects.get().kind == "deadlock"


def watched(table: Table, stop: Callable[[], bool]) -> None:
    """Look again and again that no fork has two holders, as the host does that keeps the table."""
    while not stop():
        held = Ticket.objects.filter(state=TicketState.HELD, key__startswith=table.name)
        assert not held.values("key").annotate(holders=Count("id")).filter(holders__gt=1).exists()
        renew_table(table)
        notify_workers()


def test_worker_that_is_killed_amid_a_step_takes_no_fork_with_it(tmp_path: Path) -> None:
    table = lay_table(seats=2, rounds=2, ordered=True, eating_ms=0)
    with worker_process(tmp_path) as killed:
        with transaction.atomic():
            _lock([f"{table.name}:fork:2"])  # so that its first step hangs while asking for it
            notify_workers()
            await_that(somebody_waits, what="the step runs")
            killed.kill()
            killed.wait()
        first, second = read_seats(table)
        assert (first.holds, second.waits_for) == (("fork 1",), "fork 1")
        assert sweep().is_work_ready  # it is still to be done, so nobody lost anything
        assert read_seats(table) == [first, second]
    with worker_process(tmp_path):
        watched(table, lambda: is_idle(table))
    assert [seat.meals for seat in read_seats(table)] == [2, 2]


def somebody_waits() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(SOMEBODY_WAITS)
        return bool(cursor.fetchone()[0])


def test_workers_that_are_killed_again_and_again_let_all_eat(tmp_path: Path) -> None:
    table = lay_table(seats=5, rounds=6, ordered=True, eating_ms=20)
    with worker_process(tmp_path):
        for _ in range(3):
            with worker_process(tmp_path) as killed:
                until = time.monotonic() + 0.3
                watched(table, lambda until=until: time.monotonic() > until)  # type: ignore[misc]
                killed.kill()
                killed.wait()
        deadline = time.monotonic() + PATIENCE_SECONDS
        watched(table, lambda: is_idle(table) or time.monotonic() > deadline)
    assert [seat.meals for seat in read_seats(table)] == [6] * 5
    assert clear_table(table)
    assert nothing_is_left()


@contextmanager
def command_process(folder: Path, *words: str) -> Iterator[Popen[bytes]]:
    """Run the command as a process of its own, until it has shown something."""
    log = folder / f"philosophers-{next(numbers)}.log"
    environment = {"DATABASE_URL": url_of_test_database(), "PYTHONUNBUFFERED": "1"}
    # What a shell runs in the background ignores Ctrl-C, and so does all that it starts.
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = start_child(
        [sys.executable, "manage.py", "philosophers", *words],
        log=log,
        folder=ROOT,
        environment={**os.environ, **environment},
    )
    signal.signal(signal.SIGINT, previous)
    try:
        await_that(lambda: "eats" in log.read_text(), what="somebody eats")
        yield process
    finally:
        process.kill()
        process.wait()
        sys.stdout.write(log.read_text()[-5_000:])


def test_interrupted_command_clears_its_table_and_a_sweep_that_of_a_killed_one(
    tmp_path: Path,
) -> None:
    with worker_process(tmp_path):
        with command_process(tmp_path, "--eating", "60") as command:
            command.send_signal(signal.SIGINT)
            assert command.wait(PATIENCE_SECONDS) == 130
        assert nothing_is_left()
        with command_process(tmp_path, "--eating", "60") as command:
            command.kill()
            command.wait()
            assert sweep()
            assert Ticket.objects.filter(state=TicketState.HELD).count() > 1
            Ticket.objects.filter(leased_until__isnull=False).update(
                leased_until=Now() - timedelta(seconds=1)
            )
            open_ones = Ticket.objects.filter(state__in=(TicketState.WAITING, TicketState.HELD))
            await_that(
                lambda: bool(sweep()) and not open_ones.exists(), what="the table is cleared"
            )
    assert not FollowUp.objects.exists()


def test_without_a_worker_it_says_how_to_start_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(philosophers, "HINT_SECONDS", 0.3)
    monkeypatch.setattr(philosophers, "PATIENCE_SECONDS", 0.6)
    said = StringIO()
    with pytest.raises(CommandError, match="Nothing has moved"):
        call_command("philosophers", stdout=said)
    assert "is there a worker? Start one" in said.getvalue()
    assert nothing_is_left()


def test_gate_is_opened_by_one_when_many_come_last_at_once() -> None:
    """Steps of all philosophers run at the same time, each in a thread that is a worker."""
    table = lay_table(seats=6, rounds=1, ordered=False, eating_ms=0)
    in_threads(*[run_due_follow_ups] * 6)
    while run_due_follow_ups():
        pass
    assert [seat.waits_for for seat in read_seats(table)] == [
        f"fork {n}" for n in (2, 3, 4, 5, 6, 1)
    ]
    assert clear_table(table)
