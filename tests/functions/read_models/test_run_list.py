"""The list of runs: what it finds, for whom, in pages that hold; and how few queries it takes."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from functions.read_models import RunFilter, batch_page, run_list, task_list
from runner.models import Batch, Execution
from runner.registry import Actor
from runner.states import BatchState, State
from tests.support import builders as make

pytestmark = pytest.mark.django_db
NOBODY = AnonymousUser()


def found(actor: Actor = NOBODY, **wanted: object) -> list[int]:
    """Return the runs that are listed."""
    return [row.progress.id for row in run_list(actor, RunFilter(**wanted)).rows]  # type: ignore[arg-type]


def cancelled(batch: Batch) -> Batch:
    Batch.objects.filter(pk=batch.pk).update(
        state=BatchState.CANCELLED, finished_at=batch.created_at
    )
    return batch


def test_runs_are_listed_with_what_they_are_about_the_newest_first() -> None:
    function, author = make.function("Add"), make.user("mira")
    draft = make.implementation(function, author=author, state="draft")
    public = make.batch(function.topic, make.execution(verdict="failed"), owner=author)
    private = make.batch(draft.draft_topic, make.execution(), owner=author, private=True)
    gone = make.batch("function:999999", make.execution())
    first, second, third = run_list(author, RunFilter()).rows
    assert [first.progress.id, second.progress.id, third.progress.id] == [
        gone.pk,
        private.pk,
        public.pk,
    ]
    assert (first.subject.name, second.subject.name, third.subject.name) == ("", "Add", "Add")
    assert (second.subject.draft, second.private, third.owner) == (draft, True, "mira")
    assert third.progress.verdicts["failed"] == 1


def test_a_drafts_runs_are_listed_for_their_owner_alone() -> None:
    owner, other = make.user("mira"), make.user(is_staff=True)
    batch = make.batch("draft:test-1", make.execution(), owner=owner, private=True)
    assert found(owner) == found(owner, owner="mira") == [batch.pk]
    for stranger in (NOBODY, other):
        assert found(stranger) == found(stranger, owner="mira") == []


def test_runs_are_found_by_state_owner_function_age_and_parent() -> None:
    add, owner = make.function("Add"), make.user("mira")
    old = make.batch(add.topic, make.execution(), owner=owner)
    Batch.objects.filter(pk=old.pk).update(created_at=old.created_at - timedelta(days=2))
    waiting = make.batch(add.topic, make.execution(verdict=""), owner=owner)
    done = make.batch(make.function("Halve").topic, make.execution(), parent=waiting)
    dropped = cancelled(make.batch(add.topic, make.execution(verdict="", state=State.CANCELLED)))
    assert found(state="open") == [waiting.pk]
    assert found(state="complete") == [done.pk, old.pk]
    assert found(state="cancelled") == [dropped.pk]
    assert found(owner="mira") == [waiting.pk, old.pk]
    assert found(function="add") == [dropped.pk, waiting.pk, old.pk]
    assert found(function="add", state="complete", owner="mira") == [old.pk]
    assert found(parent=waiting.pk) == [done.pk]
    assert found(since=waiting.created_at) == [dropped.pk, done.pk, waiting.pk]
    assert found(since=waiting.created_at + timedelta(days=1)) == []
    assert found(owner="nobody") == found(function="Nothing") == []


def test_a_run_needs_attention_until_somebody_has_run_what_was_given_up() -> None:
    execution = make.execution(verdict="", state=State.IGNORED)
    make.batch("function:1", make.execution())
    batch = make.batch("function:1", execution)
    assert found(state="attention") == [batch.pk]
    Execution.objects.filter(pk=execution.pk).update(state=State.PENDING)
    assert found(state="attention") == []


def test_pages_hold_while_others_submit() -> None:
    for _ in range(5):
        make.batch("function:1", make.execution())
    everything = found()
    page = run_list(NOBODY, RunFilter(), limit=2)
    make.batch("function:1", make.execution())
    rest = run_list(NOBODY, RunFilter(), cursor=page.next, limit=50)
    assert [row.progress.id for row in (*page.rows, *rest.rows)] == everything
    assert rest.next == ""


def queries_for(actor: User, batch: Batch) -> tuple[int, int, int]:
    counts = []
    for look in (
        lambda: run_list(actor, RunFilter(), limit=100),
        lambda: task_list(actor, limit=1000),
        lambda: batch_page(batch.pk, actor),
    ):
        with CaptureQueriesContext(connection) as captured:
            look()
        counts.append(len(captured))
    return counts[0], counts[1], counts[2]


def test_a_page_takes_as_many_queries_for_a_hundred_rows_as_for_one() -> None:
    reader = make.user("reader")
    function = make.function()
    draft = make.implementation(function, author=reader, state="draft")
    tries = []
    for more in (1, 9, 90):
        wanted = [make.execution(verdict="failed") for _ in range(more)]
        for execution in wanted:
            test = make.test_of(function)
            cell_of = make.implementation(function)
            make.cell(cell_of, test, key=bytes(execution.key))
            parent = make.batch(function.topic, execution, owner=make.user())
            make.batch(draft.draft_topic, execution, owner=reader, private=True)
            make.attempt(execution, 1, "failed", at=parent.created_at, error="It broke")
        batch = make.batch(make.function().topic, *wanted, owner=reader)
        for execution in wanted:
            make.batch(make.function().topic, execution, parent=batch)
        tries.append(queries_for(reader, batch))
    assert tries[0] == tries[1] == tries[2]
    assert max(tries[0]) <= 20


def test_a_folded_list_leaves_out_empty_runs_and_those_that_others_caused() -> None:
    add, halve = make.function("Add"), make.function("Halve")
    root = make.batch(add.topic, make.execution())
    child = make.batch(halve.topic, make.execution(), parent=root)
    empty = make.batch(add.topic)
    assert found() == [empty.pk, child.pk, root.pk]
    assert found(folded=True) == [root.pk]
    (row,) = run_list(NOBODY, RunFilter(folded=True)).rows
    assert row.children == 1
    assert found(folded=True, parent=root.pk) == [child.pk]
    assert found(folded=True, function="Halve") == [child.pk]
    starting = Batch.objects.create(topic=root.topic, cause="no tasks yet")
    assert found(folded=True) == [starting.pk, root.pk]
