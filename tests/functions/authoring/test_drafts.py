"""Drafts are kept as typed, by and for their authors; publishing says what is wrong with them."""

from threading import Barrier

import pytest
from django.test import Client
from pytest_django import Settings

from functions.authoring import (
    copy,
    delete_function,
    discard_draft,
    publish,
    run_draft,
    save_draft,
    start_draft,
)
from functions.errors import Conflict, Refusal
from functions.models import Implementation, Test, Work
from functions.source.validation import MAX_SOURCE_BYTES
from runner.models import Batch, Execution
from tests.patience import PATIENCE_SECONDS
from tests.support.refusals import refusal_of
from tests.support.threads import run_together
from tests.support.works import (
    account,
    constant,
    define,
    draft_implementation,
    draft_test,
    implement,
    publish_test,
)

pytestmark = pytest.mark.django_db


def refused_publication(code: str, *, name: str = "Add") -> Refusal:
    """Return why this code isn't published; the draft stays as it was typed."""
    draft = draft_implementation(define(name), code)
    refusal = refusal_of(publish, actor=draft.author, draft=draft)
    draft.refresh_from_db()
    assert (draft.state, draft.code, draft.number) == (Work.State.DRAFT, code, None)
    assert not Batch.objects.exists()
    return refusal


# --- what is refused when publishing ----------------------------------------------------------


def test_code_that_does_not_parse_is_refused_with_line_and_caret() -> None:
    refusal = refused_publication("def Add(a, b):\n    return a +\n")
    assert (refusal.code, refusal.field, refusal.status) == ("syntax_error", "code", 422)
    assert refusal.line == 2
    assert refusal.errors[0].excerpt.splitlines()[0] == "    return a +"
    assert refusal.errors[0].excerpt.splitlines()[1].strip() == "^"


@pytest.mark.parametrize("code", ["", "\n  \n", "# only a comment\n", "\t"])
def test_an_empty_draft_is_refused(code: str) -> None:
    assert refused_publication(code).code == "empty_code"


def test_a_marker_that_is_no_name_is_refused_with_its_line() -> None:
    refusal = refused_publication(constant("Add", 1) + "# uses <<no name>>\n")
    assert (refusal.code, refusal.line, refusal.column) == ("invalid_marker", 3, 8)


def test_a_marker_of_a_reserved_name_is_refused() -> None:
    refusal = refused_publication(constant("Add", 1) + "# uses <<sorted>>\n")
    assert (refusal.code, refusal.line) == ("invalid_marker", 3)
    assert "built into Python" in refusal.message


def test_a_marker_in_another_case_is_offered_the_right_one() -> None:
    define("Subtract")
    refusal = refused_publication("# <<subtract>>\n" + constant("Add", 1))
    assert (refusal.code, refusal.line) == ("invalid_marker", 1)
    assert refusal.message == "<<subtract>> is spelled <<Subtract>>."


def test_a_missing_name_is_spelled_as_who_named_it_first() -> None:
    implement(define("First"), "# <<Nowhere>>\n" + constant("First", 1))
    draft = draft_implementation(define("Second"), "# <<NoWhere>>\n" + constant("Second", 1))
    refusal = refusal_of(publish, actor=draft.author, draft=draft)
    assert (refusal.code, refusal.line) == ("invalid_marker", 1)
    assert refusal.message == "<<NoWhere>> is spelled <<Nowhere>>."


def test_a_dependency_on_itself_is_refused_with_its_line() -> None:
    refusal = refused_publication(constant("Add", 1) + "# recursion: <<Add>>\n")
    assert (refusal.code, refusal.line) == ("self_dependency", 3)


def test_all_that_is_wrong_is_told_at_once() -> None:
    refusal = refused_publication("# <<no name>>\n# <<1st>>\ndef Add(:\n")
    assert [error.line for error in refusal.errors] == [1, 2, 3]
    assert [error.code for error in refusal.errors] == [
        *("invalid_marker", "invalid_marker", "syntax_error")
    ]


@pytest.mark.parametrize("code", ["(" * 5000, "-" * 50_000 + "1", "[" * 300 + "]" * 300])
def test_code_nested_beyond_reason_is_a_syntax_error(code: str) -> None:
    assert refused_publication(code).code == "syntax_error"


# --- what can't even be saved -----------------------------------------------------------------


def test_ten_megabytes_are_too_large() -> None:
    draft = draft_implementation(define("Add"), "kept")
    refusal = refusal_of(save_draft, actor=draft.author, draft=draft, code="x" * 10_000_000)
    assert (refusal.code, refusal.status, refusal.field) == ("too_large", 413, "code")
    draft.refresh_from_db()
    assert draft.code == "kept"


def test_the_limit_is_in_bytes_and_inclusive() -> None:
    draft = draft_implementation(define("Add"), "")
    save_draft(actor=draft.author, draft=draft, code="x" * MAX_SOURCE_BYTES)
    code = "é" * (MAX_SOURCE_BYTES // 2 + 1)
    assert refusal_of(save_draft, actor=draft.author, draft=draft, code=code).code == "too_large"


@pytest.mark.parametrize("character", ["\0", "\ud800"])
@pytest.mark.parametrize("field", ["code", "title"])
def test_what_is_no_character_is_refused_with_its_place(character: str, field: str) -> None:
    draft = draft_implementation(define("Add"), "kept", title="kept")
    given = {field: f"one\ntw{character}o"}
    refusal = refusal_of(save_draft, actor=draft.author, draft=draft, **given)
    assert (refusal.code, refusal.field) == ("invalid_character", field)
    assert (refusal.line, refusal.column) == (2, 3)
    draft.refresh_from_db()
    assert (draft.code, draft.title) == ("kept", "kept")


def test_a_long_title_is_refused_at_its_field() -> None:
    draft = draft_implementation(define("Add"), "")
    refusal = refusal_of(save_draft, actor=draft.author, draft=draft, title="x" * 121)
    assert (refusal.code, refusal.field) == ("too_long", "title")


# --- what is saved ----------------------------------------------------------------------------


@pytest.mark.parametrize("code", ["def Add(:", "", "# <<no name>>", "\x01\x7f\u202e", "a\r\nb"])
def test_a_draft_is_saved_as_typed_however_little_sense_it_makes(code: str) -> None:
    draft = draft_implementation(define("Add"), "")
    save_draft(actor=draft.author, draft=draft, code=code)
    draft.refresh_from_db()
    assert draft.code == code


def test_two_windows_do_not_overwrite_each_other() -> None:
    draft = draft_implementation(define("Add"), "old")
    saved = save_draft(actor=draft.author, draft=draft, code="mine", version=0)
    assert saved.version == 1
    refusal = refusal_of(save_draft, actor=draft.author, draft=draft, code="theirs", version=0)
    assert (refusal.code, refusal.status) == ("edit_conflict", 409)
    draft.refresh_from_db()
    assert draft.code == "mine"


def test_what_is_saved_again_as_its_answer_was_lost_is_no_conflict() -> None:
    draft = draft_implementation(define("Add"), "old")
    for _ in range(2):
        saved = save_draft(actor=draft.author, draft=draft, code="mine", title="t", version=0)
        assert (saved.version, saved.code, saved.title) == (1, "mine", "t")
    refusal = refusal_of(
        save_draft, actor=draft.author, draft=draft, code="mine", title="other", version=0
    )
    assert refusal.code == "edit_conflict"


def test_code_and_title_are_saved_apart() -> None:
    draft = draft_implementation(define("Add"), "code", title="title")
    save_draft(actor=draft.author, draft=draft, title="new")
    draft.refresh_from_db()
    assert (draft.code, draft.title) == ("code", "new")


def test_a_discarded_draft_is_gone() -> None:
    draft = draft_implementation(define("Add"), "")
    discard_draft(actor=draft.author, draft=draft)
    assert not Implementation.objects.exists()
    refusal = refusal_of(save_draft, actor=draft.author, draft=draft, code="x")
    assert refusal.status == 404


# --- whose ------------------------------------------------------------------------------------


def test_a_copy_remembers_its_origin() -> None:
    original = implement(define("Add"), constant("Add", 1))
    copied = copy(actor=account("eve"), work=original)
    assert (copied.based_on, copied.code) == (original, original.code)
    assert (copied.author.username, copied.state) == ("eve", Work.State.DRAFT)


def test_nobody_copies_a_draft_of_somebody_else() -> None:
    draft = draft_test(define("Add"), "assert True")
    assert refusal_of(copy, actor=account("eve"), work=draft).status == 404


def test_a_draft_is_based_on_work_of_its_own_function() -> None:
    other = implement(define("Subtract"), constant("Subtract", 1))
    refusal = refusal_of(
        start_draft,
        actor=account("eve"),
        function=define("Add"),
        model=Implementation,
        based_on=other,
    )
    assert (refusal.code, refusal.field) == ("invalid_based_on", "based_on")


# --- publishing -------------------------------------------------------------------------------


def test_numbers_count_up_for_each_function_and_kind_of_work() -> None:
    add, subtract = define("Add"), define("Subtract")
    numbers = [
        implement(add, constant("Add", 1)).number,
        implement(add, constant("Add", 2)).number,
        publish_test(add, "assert True").number,
        implement(subtract, constant("Subtract", 1)).number,
    ]
    assert numbers == [1, 2, 1, 1]


def test_a_work_keeps_the_license_under_which_it_was_published(
    client: Client, settings: Settings
) -> None:
    settings.CONTENT_LICENSE = "CC0-1.0"
    draft = draft_implementation(define("Add"), constant("Add", 1))
    client.force_login(draft.author)
    assert "under CC0-1.0." in client.get(draft.get_absolute_url()).content.decode()
    publish(actor=draft.author, draft=draft)
    client.logout()
    settings.CONTENT_LICENSE = "MIT"
    shown = client.get(f"/api/v1/functions/{draft.function.name}/").json()
    assert shown["implementations"][0]["license"] == "CC0-1.0"


@pytest.mark.django_db(transaction=True)
def test_a_draft_published_twice_at_once_is_published_once() -> None:
    draft = draft_implementation(define("Add"), constant("Add", 1))
    barrier = Barrier(3, timeout=PATIENCE_SECONDS)

    def attempt(_: int) -> str:
        barrier.wait()
        try:
            publish(actor=draft.author, draft=draft)
        except Conflict as conflict:
            return conflict.code
        return "published"

    assert sorted(run_together(attempt, range(3))) == ["not_a_draft", "not_a_draft", "published"]
    assert Batch.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_the_same_request_again_gives_the_same_batch() -> None:
    draft = draft_implementation(define("Add"), constant("Add", 1))
    barrier = Barrier(3, timeout=PATIENCE_SECONDS)

    def attempt(_: int) -> int:
        barrier.wait()
        return publish(actor=draft.author, draft=draft, request_key="form-1").pk

    assert len(set(run_together(attempt, range(3)))) == 1


def test_the_same_request_again_gives_the_same_batch_after_a_deletion_too() -> None:
    add = define("Add")
    draft = draft_implementation(add, constant("Add", 1))
    batch = publish(actor=draft.author, draft=draft, request_key="form-1")
    delete_function(actor=account("olga"), function=add)
    assert publish(actor=draft.author, draft=draft, request_key="form-1") == batch


def test_another_publication_under_the_same_request_key_is_a_conflict() -> None:
    add = define("Add")
    one = draft_implementation(add, constant("Add", 1))
    other = draft_implementation(add, constant("Add", 2))
    publish(actor=one.author, draft=one, request_key="form-1")
    refusal = refusal_of(publish, actor=one.author, draft=other, request_key="form-1")
    assert (refusal.code, refusal.status) == ("request_conflict", 409)


def test_a_test_that_breaks_the_policy_is_published_and_says_where() -> None:
    work = publish_test(define("Add"), "log(1)\nimport socket\n")
    assert work.compile_error.startswith("line 2: `socket` can't be imported here")


def test_publishing_for_a_deleted_function_keeps_the_draft() -> None:
    add = define("Add")
    draft = draft_implementation(add, constant("Add", 1))
    delete_function(actor=account("olga"), function=add)
    refusal = refusal_of(publish, actor=draft.author, draft=draft)
    assert (refusal.code, refusal.status) == ("function_deleted", 409)
    draft.refresh_from_db()
    assert draft.code == constant("Add", 1)


# --- running a draft --------------------------------------------------------------------------


def test_a_draft_runs_against_all_published_works_for_its_author_alone() -> None:
    add = define("Add")
    publish_test(add, "assert Add() == 1")
    publish_test(add, "assert Add() > 0")
    draft = draft_implementation(add, constant("Add", 1))
    before = Execution.objects.count()
    batch = run_draft(actor=draft.author, draft=draft)
    assert batch.private
    assert batch.topic.name == f"draft:implementation-{draft.pk}"
    assert Execution.objects.count() - before == 3
    draft.refresh_from_db()
    assert draft.state == Work.State.DRAFT


def test_a_draft_of_a_test_runs_against_all_implementations() -> None:
    add = define("Add")
    implement(add, constant("Add", 1))
    implement(add, constant("Add", 2))
    draft = draft_test(add, "assert Add() == 1")
    batch = run_draft(actor=draft.author, draft=draft)
    assert batch.tasks.count() == 2
    assert isinstance(draft, Test)


def test_a_draft_that_relies_on_nothing_there_says_so_when_run() -> None:
    draft = draft_implementation(define("Double"), "# <<Add>>\n" + constant("Double", 2))
    refusal = refusal_of(run_draft, actor=draft.author, draft=draft)
    assert (refusal.code, refusal.line, refusal.column) == ("blocked", 1, 3)
    assert refusal.message.endswith("<<Add>> can't be run: Add does not exist.")


def test_a_draft_that_does_not_parse_says_so_when_run() -> None:
    draft = draft_implementation(define("Add"), "def Add(:")
    refusal = refusal_of(run_draft, actor=draft.author, draft=draft)
    assert (refusal.code, refusal.line) == ("syntax_error", 1)
