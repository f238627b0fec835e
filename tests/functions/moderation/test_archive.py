"""An archived function is read and imported as before, and takes nothing new."""

from collections.abc import Callable

import pytest

from functions.authoring import copy, publish, revise_function, save_draft, withdraw
from functions.authoring.rename import rename_function
from functions.errors import Conflict
from functions.maintenance.verification import find_differences
from functions.models import AuditEntry, Function, Work
from functions.moderation.acceptability import judge_work
from functions.moderation.archive import archive_function, unarchive_function
from functions.read_models import browse
from runner.models import Batch, Execution
from runner.workers.drainer import Drainer
from tests.support.threads import run_together
from tests.support.works import (
    account,
    constant,
    define,
    draft_implementation,
    draft_test,
    implement,
    vote,
)


def is_archived_refusal(act: Callable[[], object]) -> bool:
    with pytest.raises(Conflict) as refused:
        act()
    return (refused.value.code, refused.value.status) == ("function_archived", 409)


@pytest.mark.django_db
def test_it_takes_no_drafts_publications_votes_and_edits_until_it_is_taken_out() -> None:
    add, olga = define("Add"), account("olga")
    work, draft = implement(add, constant("Add", 1)), draft_implementation(add, constant("Add", 2))
    archive_function(actor=olga, function=add, reason="superseded by Sum")
    changes: list[Callable[[], object]] = [
        lambda: draft_test(add, "assert Add()"),
        lambda: copy(actor=account("eve"), work=work),
        lambda: publish(actor=draft.author, draft=draft),
        lambda: vote(work, up="eve"),
        lambda: revise_function(actor=olga, function=add, signature="()", description="x"),
        lambda: rename_function(actor=olga, function=add, name="Plus"),
    ]
    assert all(is_archived_refusal(change) for change in changes)
    work.refresh_from_db()
    assert (work.score, work.votes.count()) == (0, 0)
    # What was typed is not lost, and what takes away stays possible.
    save_draft(actor=draft.author, draft=draft, code=constant("Add", 3))
    judge_work(actor=olga, work=work, acceptable=False, reason="wrong")
    withdraw(actor=work.author, work=work)
    unarchive_function(actor=olga, function=add)
    publish(actor=draft.author, draft=draft)
    draft.refresh_from_db()
    assert (vote(draft, up="eve"), draft.state) == (1, Work.State.PUBLISHED)
    acts = AuditEntry.objects.order_by("id").values_list("act", "reason")
    assert list(acts) == [
        ("archived", "superseded by Sum"),
        ("unacceptable", "wrong"),
        ("unarchived", ""),
    ]


@pytest.mark.django_db
def test_its_owner_and_staff_archive_it_and_doing_so_twice_changes_nothing() -> None:
    add = define("Add")
    first = archive_function(actor=account("root", is_staff=True), function=add).archived_at
    assert archive_function(actor=account("olga"), function=add).archived_at == first
    assert AuditEntry.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_its_current_implementation_stays_what_others_import_and_is_judged_on(
    worker: Drainer,
) -> None:
    base, middle, top = define("Base"), define("Middle"), define("Top")
    implement(base, constant("Base", 1))
    elected = implement(middle, "# <<Base>>\ndef Middle():\n    return Base()\n")
    implement(top, "# <<Middle>>\ndef Top():\n    return Middle()\n")
    worker.drain()
    batches, executions = Batch.objects.count(), Execution.objects.count()
    archive_function(actor=account("olga"), function=middle)
    worker.drain()
    assert (Batch.objects.count(), Execution.objects.count()) == (batches, executions)
    better = implement(base, constant("Base", 2))
    vote(better, up="eve")
    worker.drain()
    middle.refresh_from_db()
    top.refresh_from_db()
    assert (middle.status, middle.elected, top.status) == ("implemented", elected, "implemented")
    judge_work(actor=account("olga"), work=elected, acceptable=False)
    worker.drain()
    top.refresh_from_db()
    assert (top.status, top.blocked_by) == ("blocked", "Middle")
    assert list(find_differences()) == []


@pytest.mark.django_db(transaction=True)
def test_no_draft_is_begun_while_it_is_archived() -> None:
    add = define("Add")

    def begin_or_archive(what: str) -> None:
        if what == "archive":
            archive_function(actor=account("olga"), function=add)
            return
        for _ in range(20):
            try:
                draft = draft_implementation(add, "x = 1")
            except Conflict:
                return
            archived_at = Function.objects.get(pk=add.pk).archived_at
            assert archived_at is None or draft.created_at <= archived_at

    run_together(begin_or_archive, ["begin", "archive"])
    assert Function.objects.get().archived_at is not None


@pytest.mark.django_db
def test_lists_leave_it_out_unless_it_is_asked_for() -> None:
    define("Add")
    archive_function(actor=account("olga"), function=define("Old"))
    found, archived = browse(), browse(archived=True)
    assert [row.function.name for row in found.rows] == ["Add"]
    assert found.counts["all"] == 1
    assert [row.function.name for row in archived.rows] == ["Old"]
