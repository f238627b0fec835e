"""Runs, run records and drafts as they are shown."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser

from functions.read_models import batch_page, batch_progress, draft_page, result_page, task_list
from runner.models import Event, Task, Topic
from runner.states import State
from tests.support import builders as make

pytestmark = pytest.mark.django_db
NOBODY = AnonymousUser()


def test_a_run_lists_its_tasks_with_what_they_are_about() -> None:
    function = make.function()
    work, test = make.implementation(function), make.test_of(function)
    done, waiting = make.execution(verdict="failed"), make.execution(verdict="")
    make.cell(work, test, key=bytes(done.key))
    batch = make.batch(function.topic, done, waiting)
    page = batch_page(batch.pk, NOBODY)
    assert page is not None
    assert page.run.subject.function == function
    first, second = page.tasks.rows
    assert (first.verdict, first.state, second.state) == ("failed", "succeeded", "pending")
    assert first.implementation is not None
    assert first.test is not None
    assert (first.implementation.label, first.test.label) == (str(work), str(test))
    assert second.implementation is None


def test_a_run_shows_the_runs_that_it_caused() -> None:
    function = make.function()
    batch = make.batch(function.topic, make.execution())
    child = make.batch(function.topic, make.execution(), parent=batch)
    page = batch_page(batch.pk, NOBODY)
    assert page is not None
    assert [row.progress.id for row in page.children] == [child.pk]
    assert page.children[0].progress.parent == batch.pk
    below = batch_page(child.pk, NOBODY)
    assert below is not None
    assert [row.progress.id for row in below.earlier] == [batch.pk]


def test_a_task_tells_every_attempt_that_was_made_for_it() -> None:
    execution = make.execution(verdict="", state=State.IGNORED, attempts=3)
    batch = make.batch("function:1", execution)
    since = batch.created_at
    make.attempt(execution, 1, "failed", at=since - timedelta(hours=1), error="of an older run")
    make.attempt(execution, 1, "lost", at=since, worker="w-1")
    make.attempt(execution, 1, "handed_back", at=since, worker="w-1")
    make.attempt(
        execution, 2, "failed", at=since, error="Traceback\n  in here\nIt broke", worker="w-2"
    )
    make.attempt(execution, 1, "running", at=since + timedelta(hours=1))
    page = batch_page(batch.pk, NOBODY)
    assert page is not None
    (task,) = page.tasks.rows
    assert [one.outcome for one in task.tries] == ["failed", "handed_back", "lost"]
    assert (task.attempts, task.worker, task.has_troubles) == (2, "w-2", True)
    assert task.tries[0].summary == "It broke"
    assert (task.queued_at, task.started_at) == (since, since)


def test_what_became_of_a_program_later_is_not_told_of_a_task_that_was_given_up() -> None:
    execution = make.execution(verdict="passed")
    batch = make.batch("function:1", execution)
    Task.objects.filter(batch=batch).delete()
    Task.objects.create(
        batch=batch, execution=execution, state=State.IGNORED, finished_at=batch.finished_at
    )
    page = batch_page(batch.pk, NOBODY)
    assert page is not None
    assert [(task.state, task.verdict) for task in page.tasks.rows] == [("ignored", None)]


def test_a_result_that_a_later_run_has_replaced_is_said_to_be_of_that_one() -> None:
    replaced, kept = make.execution(verdict="failed"), make.execution()
    earlier, later = make.SINCE - timedelta(hours=1), make.SINCE + timedelta(days=1)
    batch = make.batch("function:1", replaced, kept)
    Task.objects.filter(batch=batch).update(finished_at=make.SINCE)
    for execution in (replaced, kept):
        make.attempt(execution, 1, "recorded", at=earlier)
        make.attempt(execution, 1, "cancelled", at=later)
    make.attempt(replaced, 1, "recorded", at=later)
    page = batch_page(batch.pk, NOBODY)
    assert page is not None
    assert [(task.verdict, task.run_again_at) for task in page.tasks.rows] == [
        ("failed", later),
        ("passed", None),
    ]
    assert page.run_again == 1


def test_a_known_result_was_no_attempt_of_this_run() -> None:
    execution = make.execution(verdict="passed")
    make.attempt(execution, 1, "recorded", at=make.SINCE)
    batch = make.batch("function:1", execution)
    Task.objects.filter(batch=batch).update(executed=False)
    page = batch_page(batch.pk, NOBODY)
    assert page is not None
    assert page.tasks.rows[0].tries == ()


def test_a_runs_tasks_come_in_pages_and_by_state_or_verdict() -> None:
    executions = [make.execution(verdict=word) for word in ("passed", "failed", "passed", "")]
    batch = make.batch("function:1", *executions)
    ids = list(Task.objects.filter(batch=batch).order_by("pk").values_list("pk", flat=True))
    seen, cursor = [], ""
    while True:
        page = task_list(NOBODY, batch=batch.pk, cursor=cursor, limit=3)
        seen.append([task.id for task in page.rows])
        if not (cursor := page.next):
            break
    assert seen == [ids[:3], ids[3:]]

    def found(state: str = "", verdict: str = "") -> list[int]:
        page = task_list(NOBODY, batch=batch.pk, state=state, verdict=verdict)
        return [task.id for task in page.rows]

    assert found("pending") == ids[3:]
    assert found("succeeded") == ids[:3]
    assert found(verdict="failed") == [ids[1]]


def test_a_private_run_and_its_records_are_its_owners_alone() -> None:
    owner = make.user()
    execution = make.execution()
    key = bytes(execution.key).hex()
    batch = make.batch("draft:test-1", execution, owner=owner, private=True)
    for stranger in (NOBODY, make.user(), make.user(is_staff=True)):
        assert task_list(stranger).rows == ()
        assert batch_page(batch.pk, stranger) is None
        assert batch_progress(batch.pk, stranger) is None
        assert result_page(key, stranger) is None
    assert batch_page(batch.pk, owner) is not None
    assert result_page(key, owner) is not None
    make.batch("function:1", execution)
    assert result_page(key, NOBODY) is not None


def test_a_private_run_without_an_owner_is_nobodys() -> None:
    batch = make.batch("draft:test-1", make.execution(), owner=None, private=True)
    assert batch_page(batch.pk, NOBODY) is None


def test_a_record_has_the_sources_that_were_executed() -> None:
    execution = make.execution("answer = 42\n")
    make.batch("function:1", execution)
    page = result_page(bytes(execution.key).hex().upper(), NOBODY)
    assert page is not None
    assert [(module.name, module.text) for module in page.modules] == [("Unit", "answer = 42\n")]
    assert page.runtime == execution.program["runtime"]


@pytest.mark.parametrize("key", ["", "00", "g" * 64, "é" * 64, "0" * 64, " " * 64])
def test_what_is_no_known_key_has_no_record(key: str) -> None:
    assert result_page(key, NOBODY) is None


def test_a_draft_shows_its_last_run_by_what_was_announced() -> None:
    function, author = make.function(), make.user()
    draft = make.implementation(function, author=author, state="draft")
    test = make.test_of(function)
    make.batch(draft.draft_topic, make.execution(), owner=author, private=True)
    execution = make.execution(verdict="failed")
    batch = make.batch(draft.draft_topic, execution, owner=author, private=True)
    cells = [[draft.pk, test.pk, bytes(execution.key).hex()], [draft.pk, None, None]]
    Event.objects.create(
        topic=Topic.objects.get(name=draft.draft_topic),
        seq=1,
        type="batch.submitted",
        payload={"batch": batch.pk, "cells": cells},
        created_at=make.SINCE,
    )
    page = draft_page(draft, author)
    assert page.run is not None
    assert page.run.id == batch.pk
    (row,) = page.tasks
    assert row.test is not None
    assert (row.verdict, row.test.id) == ("failed", test.pk)
    assert len(page.log) == 2
