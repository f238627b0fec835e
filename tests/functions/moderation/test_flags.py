"""Flags: once for each user and item, answered by staff, and kept in the log."""

from functools import partial

import pytest
from django.db import DatabaseError, transaction

from functions.authoring import delete_function, revise_function
from functions.authoring.definitions import restore_revision
from functions.errors import Refusal
from functions.models import AuditEntry, Flag, FunctionRevision
from functions.moderation.acceptability import judge_work
from functions.moderation.comments import (
    delete_comment,
    hide_comment,
    unhide_comment,
    write_comment,
)
from functions.moderation.flags import flag_item, resolve_flag
from functions.read_models.audit import AuditFilter, audit_log
from functions.read_models.flags import flag_queue, own_flags
from tests.support.refusals import code_of
from tests.support.threads import run_together
from tests.support.works import (
    account,
    constant,
    define,
    draft_implementation,
    implement,
    publish_test,
)

pytestmark = pytest.mark.django_db


def flag(kind: str, pk: int, *, by: str = "fay", reason: str = "spam") -> Flag:
    return flag_item(actor=account(by), kind=kind, item_id=pk, reason=reason)


def test_everything_that_is_published_is_flagged_once_by_each() -> None:
    add = define("Add")
    work, test = implement(add, constant("Add", 1)), publish_test(add, "assert Add()")
    comment = write_comment(actor=account("ann"), subject=add, text="Buy now")
    for kind, pk, label in (
        ("function", add.pk, ""),
        ("implementation", work.pk, "#1"),
        ("test", test.pk, "T1"),
        ("comment", comment.pk, f"comment {comment.pk}"),
    ):
        raised = flag(kind, pk)
        assert (raised.label, raised.function, raised.state) == (label, add, "open")
        assert code_of(partial(flag, kind, pk)) == "flagged_already"
        flag(kind, pk, by="gus")
    assert Flag.objects.count() == 8
    rows = {row.kind: row.url for row in own_flags(account("fay")).rows}
    assert rows["comment"] == comment.get_absolute_url()
    delete_comment(actor=account("ann"), comment=comment)
    assert own_flags(account("fay")).rows[0].url == ""


def test_what_nobody_sees_and_what_says_nothing_is_refused() -> None:
    add = define("Add")
    draft = draft_implementation(add, "")
    for kind, pk in (("implementation", draft.pk), ("planet", 1), ("function", 0), ("test", 2)):
        assert code_of(partial(flag, kind, pk)) == "not_found"
    assert code_of(lambda: flag("function", add.pk, reason=" \n")) == "reason_required"
    assert code_of(lambda: flag("function", add.pk, reason="x" * 501)) == "too_long"


@pytest.mark.django_db(transaction=True)
def test_flagged_in_two_windows_at_once_it_is_flagged_once() -> None:
    add = define("Add")
    account("fay")

    def attempt(_: str) -> str:
        try:
            return str(flag("function", add.pk).pk and "")
        except Refusal as refusal:
            return refusal.code

    assert sorted(run_together(attempt, ["a", "b", "c"])) == ["", *["flagged_already"] * 2]


def test_staff_answers_once_and_the_flagger_reads_it() -> None:
    add, sam = define("Add"), account("sam", is_staff=True)
    raised = flag("implementation", implement(add, constant("Add", 1)).pk)
    assert [row.flagger for row in flag_queue(state="open").rows] == ["fay"]
    note = "marked unacceptable"
    assert (
        code_of(lambda: resolve_flag(actor=sam, flag=raised, is_upheld=True, note=""))
        == "reason_required"
    )
    resolve_flag(actor=sam, flag=raised, is_upheld=True, note=note)
    assert code_of(lambda: resolve_flag(actor=sam, flag=raised, is_upheld=False, note="x")) == (
        "flag_resolved"
    )
    assert not flag_queue(state="open").rows
    (row,) = own_flags(account("fay")).rows
    assert (row.state, row.resolver, row.note, row.label) == ("upheld", "sam", note, "#1")
    assert not own_flags(account("eve")).rows
    (entry,) = audit_log(AuditFilter(function="add")).rows
    assert (entry.act, entry.label, entry.reason) == ("flag_upheld", "#1", note)
    assert "fay" not in str(entry)  # who flagged is nobody's business


def test_the_queue_keeps_what_is_gone() -> None:
    add = define("Add")
    flag("function", add.pk)
    delete_function(actor=account("olga"), function=add)
    (row,) = flag_queue(state="open").rows
    assert (row.function, row.url) == ("Add", "")


def test_the_log_is_filtered_and_paged_and_holds_while_others_write() -> None:
    add, other, sam = define("Add"), define("Other"), account("sam", is_staff=True)
    work = implement(add, constant("Add", 1))
    for acceptable in (True, False, None):
        judge_work(actor=sam, work=work, acceptable=acceptable, reason="why")
    judge_work(actor=account("olga"), work=implement(other, constant("Other", 1)), acceptable=True)
    first = audit_log(AuditFilter(), limit=2)
    delete_function(actor=sam, function=add)
    rest = audit_log(AuditFilter(), cursor=first.next, limit=9)
    acts = [row.act for row in (*first.rows, *rest.rows)]
    assert acts == ["accepted", "left_to_votes", "unacceptable", "accepted"]
    assert not rest.next
    assert [row.act for row in audit_log(AuditFilter(actor="sam", act="deleted")).rows] == [
        "deleted"
    ]
    assert len(audit_log(AuditFilter(function="ADD")).rows) == 4
    assert not audit_log(AuditFilter(actor="nobody")).rows
    # A verdict that says the same again is no act.
    judge_work(actor=account("olga"), work=other.implementations.get(), acceptable=True)
    assert AuditEntry.objects.filter(function=other).count() == 1


def test_a_hidden_comment_stands_in_the_log_with_the_reason() -> None:
    add = define("Add")
    comment = write_comment(actor=account("ann"), subject=add, text="Buy now")
    for _ in range(2):
        hide_comment(actor=account("olga"), comment=comment, reason="spam")
    unhide_comment(actor=account("sam", is_staff=True), comment=comment)
    rows = audit_log(AuditFilter(function="Add")).rows
    assert [(row.act, row.actor, row.label, row.reason) for row in rows] == [
        ("comment_shown", "sam", f"comment {comment.pk}", ""),
        ("comment_hidden", "olga", f"comment {comment.pk}", "spam"),
    ]


def test_a_restored_definition_stands_in_the_log() -> None:
    add, sam = define("Add"), account("sam", is_staff=True)
    first = FunctionRevision.objects.get()
    revise_function(actor=account("olga"), function=add, signature="(a)", description="x")
    restore_revision(actor=sam, function=add, revision=first)
    (row,) = audit_log(AuditFilter(function="Add")).rows
    assert (row.act, row.actor) == ("restored", "sam")


def test_entries_of_the_log_are_never_changed_or_deleted() -> None:
    delete_function(actor=account("olga"), function=define("Add"))
    for act in (
        lambda: AuditEntry.objects.update(reason="nothing"),
        lambda: AuditEntry.objects.all().delete(),
    ):
        with pytest.raises(DatabaseError, match="never changed"), transaction.atomic():
            act()
    assert AuditEntry.objects.get().reason == ""
