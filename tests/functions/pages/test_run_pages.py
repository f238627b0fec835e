"""Runs, run records and drafts as they are shown."""

import pytest
from django.contrib.auth.models import AnonymousUser

from functions.pages import batch_page, batch_progress, draft_page, result_page
from runner.models import Event, Topic
from tests.functions.pages import builders as make

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
    assert page.function == function
    first, second = page.tasks
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
    assert [row.id for row in page.children] == [child.pk]
    assert page.children[0].parent == batch.pk


def test_a_private_run_and_its_records_are_its_owners_alone() -> None:
    owner = make.user()
    execution = make.execution()
    key = bytes(execution.key).hex()
    batch = make.batch("draft:test-1", execution, owner=owner, private=True)
    for stranger in (NOBODY, make.user(), make.user(is_staff=True)):
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
