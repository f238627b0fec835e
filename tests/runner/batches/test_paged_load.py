"""Loading: batches of thousands come page by page, whatever stops in between, and end."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from pytest_django.fixtures import Settings

from runner import registry
from runner.batches.cancellation import cancel_batches
from runner.batches.paged_load import PagedPrograms
from runner.errors import QuotaExceeded, RequestConflict
from runner.models import Batch, Execution, FanOut, FollowUp, Incident, OutboxEvent, Task
from runner.pipelines.follow_ups import run_due_follow_ups
from runner.registry import Page, register_source
from runner.states import BatchState, State
from runner.workers.claims import claim
from tests.patience import PATIENCE_SECONDS, await_that
from tests.support.batches import (
    event_types,
    events,
    execute,
    program,
    submit,
)
from tests.support.site import ROOT, url_of_test_database

pytestmark = pytest.mark.django_db(transaction=True)


def numbered(arguments: Any, cursor: Any, at_most: int) -> Page:
    """Bring programs that differ in a number."""
    first = cursor or 0
    last = min(first + at_most, arguments["count"])
    programs = [program(f"number = 'loaded {n}'") for n in range(first, last)]
    return Page(programs, last if last < arguments["count"] else None)


@pytest.fixture(autouse=True)
def source() -> Iterator[None]:
    register_source("test.numbered", numbered)
    yield
    del registry.sources["test.numbered"]


def submit_many(count: int, *, page: int = 10, **wishes: Any) -> Batch:
    programs: Any = PagedPrograms("test.numbered", {"count": count}, page)
    return submit(programs, **wishes)


def load() -> None:
    while FollowUp.objects.exists():
        FollowUp.objects.update(due_at=timezone.now())
        run_due_follow_ups()


def execute_all() -> None:
    while claims := claim("a worker").claims:
        for claimed in claims:
            execute(claimed)


def test_all_pages_are_loaded_and_the_batch_ends_after_the_last() -> None:
    batch = submit_many(35)
    assert batch.tasks.count() == 0
    load()
    assert batch.tasks.count() == Execution.objects.count() == 35
    assert Batch.objects.get().all_tasks_loaded
    execute_all()
    batch.refresh_from_db()
    assert batch.state == BatchState.COMPLETE
    assert events(type="batch.finished")[0]["total"] == 35


def test_batch_does_not_end_between_its_pages() -> None:
    batch = submit_many(30)
    turns = []
    while FollowUp.objects.exists():
        run_due_follow_ups(seconds=0)
        execute_all()
        batch.refresh_from_db()
        turns.append((batch.tasks.count(), batch.state == BatchState.OPEN))
    assert turns == [(10, True), (20, True), (30, False)]
    assert event_types().count("batch.finished") == 1


def test_known_programs_end_the_batch_when_the_last_page_is_loaded() -> None:
    submit_many(30)
    load()
    execute_all()
    batch = submit_many(30)
    load()
    batch.refresh_from_db()
    assert batch.state == BatchState.COMPLETE
    assert not claim("a worker").claims


def test_same_request_is_one_batch_and_one_walk() -> None:
    first = submit_many(30, request_key="r1")
    assert submit_many(30, request_key="r1") == first
    with pytest.raises(RequestConflict):
        submit_many(31, request_key="r1")
    assert FanOut.objects.count() == FollowUp.objects.count() == 1


def test_cancelling_stops_the_loading() -> None:
    batch = submit_many(50)
    run_due_follow_ups(seconds=0)
    assert batch.tasks.count() == 10
    cancel_batches([batch])
    load()
    batch.refresh_from_db()
    assert batch.state == BatchState.CANCELLED
    assert set(batch.tasks.values_list("state", flat=True)) == {State.CANCELLED}
    assert batch.tasks.count() == 10


def test_cancelled_before_its_first_page_it_is_cancelled_not_complete() -> None:
    batch = submit_many(50)
    cancel_batches([batch])
    load()
    batch.refresh_from_db()
    assert (batch.state, batch.tasks.count()) == (BatchState.CANCELLED, 0)


def test_source_that_breaks_ends_the_batch_and_is_noted() -> None:
    def broken(arguments: Any, cursor: Any, at_most: int) -> Page:
        if cursor:
            raise ValueError("gone")
        return numbered(arguments, cursor, at_most)

    register_source("test.numbered", broken)
    batch = submit_many(50)
    load()
    batch.refresh_from_db()
    assert (batch.state, batch.tasks.count()) == (BatchState.CANCELLED, 10)
    assert Incident.objects.get().kind == "page_given_up"


def test_large_batch_is_loaded_as_its_owners_queue_has_room(settings: Settings) -> None:
    settings.QUEUED_PER_OWNER = 15
    ada = User.objects.create_user("ada")
    batch = submit_many(30, owner=ada)
    seen = []
    while FollowUp.objects.exists():
        FollowUp.objects.update(due_at=timezone.now())
        run_due_follow_ups()
        seen.append(Task.objects.filter(state=State.PENDING).count())
        execute_all()
    assert max(seen) <= 15
    batch.refresh_from_db()
    assert (batch.state, batch.tasks.count()) == (BatchState.COMPLETE, 30)


def test_more_than_an_owner_may_queue_is_refused_and_nothing_of_it_is_written(
    settings: Settings,
) -> None:
    settings.QUEUED_PER_OWNER = 5
    ada, bob = User.objects.create_user("ada"), User.objects.create_user("bob")
    first = submit([program() for _ in range(4)], owner=ada)
    with pytest.raises(QuotaExceeded, match="cancel some"):
        submit([program(), program()], owner=ada)
    assert (Batch.objects.count(), Task.objects.count(), Execution.objects.count()) == (1, 4, 4)
    assert not OutboxEvent.objects.exists()
    assert event_types().count("batch.submitted") == 1
    submit([program(), program()], owner=bob)
    submit([program(), program()], owner=ada, parent=first)
    cancel_batches([first])
    submit([program() for _ in range(3)], owner=ada)


LOADER = """
import os, sys, django
django.setup()
from runner import registry
from runner.pipelines.follow_ups import run_due_follow_ups
from tests.runner.batches.test_paged_load import numbered
registry.register_source("test.numbered", numbered)
while run_due_follow_ups(seconds=0):
    sys.stdout.write("page\\n"); sys.stdout.flush()
"""


def test_loading_resumes_after_each_kill() -> None:
    """A process that is killed after each page that it says it has done, or while at the next."""
    batch = submit_many(200)
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "socialcode.settings",
        "DATABASE_URL": url_of_test_database(),
    }
    kills = 0
    while not Batch.objects.get(pk=batch.pk).all_tasks_loaded and kills < 4:
        with subprocess.Popen(
            [sys.executable, "-c", LOADER], cwd=ROOT, env=environment, stdout=subprocess.PIPE
        ) as loader:
            assert loader.stdout
            loader.stdout.readline()
            loader.send_signal(signal.SIGKILL)
            loader.wait(PATIENCE_SECONDS)
        kills += 1
    assert kills >= 1
    await_that(lambda: not FollowUp.objects.filter(attempts__gt=0).exists())
    load()
    batch.refresh_from_db()
    assert batch.all_tasks_loaded
    assert batch.tasks.count() == Execution.objects.count() == 200
