"""Comments: written, answered, edited, deleted, hidden, voted on; and what follows of that."""

from datetime import timedelta
from threading import Barrier

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.db.models import Max
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from functions.authoring import withdraw
from functions.errors import Refusal
from functions.maintenance.verification import find_wrong_tallies, find_wrong_threads
from functions.models import Comment, Function, Implementation
from functions.moderation.comments import (
    MAX_COMMENT_LENGTH,
    Subject,
    delete_comment,
    edit_comment,
    hide_comment,
    reply_to,
    unhide_comment,
    write_comment,
)
from functions.read_models.comments import thread_list
from functions.read_models.function import function_page
from functions.voting.votes import cast_vote
from runner.models import Event, FollowUp
from runner.pipelines.materialized_views import joiner
from tests.patience import PATIENCE_SECONDS
from tests.support.limits import limits  # noqa: F401 - a fixture
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

NOBODY = AnonymousUser()


@pytest.fixture
def add(db: None) -> Function:
    return define("Add", owner="olga")


def say(on: Function, text: str = "Why?", *, author: str = "ann") -> Comment:
    return write_comment(actor=account(author), subject=on, text=text)


def answer(comment: Comment, text: str = "So.", *, author: str = "bob") -> Comment:
    return reply_to(actor=account(author), comment=comment, text=text)


def fresh(comment: Comment) -> Comment:
    return Comment.objects.get(pk=comment.pk)


def texts(function: Function, reader: str = "") -> list[str | None]:
    actor = account(reader) if reader else NOBODY
    return [one.text for one in thread_list(function, actor).comments]


def test_people_comment_on_functions_and_on_what_was_published_for_them(add: Function) -> None:
    work, test = implement(add, constant("Add", 1)), publish_test(add, "assert True")
    withdraw(actor=work.author, work=work)
    subjects: tuple[Subject, ...] = (add, work, test)
    for number, subject in enumerate(subjects):
        write_comment(actor=account("ann"), subject=subject, text=f"On {number}")
    assert texts(add) == ["On 2", "On 1", "On 0"]
    places = [one.place.anchor for one in thread_list(add, NOBODY).comments]
    assert places == [f"T{test.number}", f"I{work.number}", ""]
    assert [one.text for one in thread_list(add, NOBODY, on=add).comments] == ["On 0"]
    assert [one.text for one in thread_list(add, NOBODY, on=work).comments] == ["On 1"]
    draft = draft_implementation(add, "", author="ida")
    for person, code in (("ann", "not_found"), ("ida", "not_published")):
        actor = account(person)
        assert code_of(write_comment, actor=actor, subject=draft, text="x") == code


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (" \n\t ", "empty_comment"),
        ("x" * (MAX_COMMENT_LENGTH + 1), "too_long"),
        ("a\0b", "invalid_character"),
    ],
)
def test_what_says_nothing_or_too_much_is_refused_whether_written_or_edited(
    add: Function, text: str, code: str
) -> None:
    comment = say(add, "x" * MAX_COMMENT_LENGTH)
    ann = account("ann")
    assert code_of(say, add, text) == code
    assert code_of(answer, comment, text) == code
    assert code_of(edit_comment, actor=ann, comment=comment, text=text) == code
    assert Comment.objects.count() == 1


def test_replies_are_one_level_deep_and_on_what_their_thread_is_on(add: Function) -> None:
    work = implement(add, constant("Add", 1))
    thread = write_comment(actor=account("ann"), subject=work, text="Why?")
    reply = answer(thread)
    assert (reply.implementation_id, reply.parent_id) == (work.pk, thread.pk)
    assert code_of(answer, reply) == "reply_to_reply"
    assert fresh(thread).replies == 1


def test_a_form_that_is_sent_twice_says_it_once(add: Function) -> None:
    assert say(add) == say(add)
    assert say(add, author="bob") != say(add)
    Comment.objects.update(created_at=timezone.now() - timedelta(minutes=2))
    say(add)
    assert Comment.objects.count() == 3


def test_an_edited_comment_says_so(add: Function) -> None:
    comment = say(add)
    edit_comment(actor=account("ann"), comment=comment, text="Why?")
    assert fresh(comment).edited_at is None
    edit_comment(actor=account("ann"), comment=comment, text="How?")
    assert (fresh(comment).text, fresh(comment).edited_at is None) == ("How?", False)


def test_a_deleted_comment_loses_its_text_and_its_place_only_with_its_last_reply(
    add: Function,
) -> None:
    thread = say(add)
    replies = [answer(thread, text) for text in ("So.", "And so.")]
    delete_comment(actor=account("ann"), comment=thread)
    assert fresh(thread).text == ""
    (shown,) = thread_list(add, account("ann")).comments
    assert (shown.is_deleted, shown.text, shown.replies) == (True, None, 2)
    assert code_of(answer, thread) == "comment_deleted"
    assert code_of(delete_comment, actor=account("ann"), comment=thread) == "comment_deleted"
    for reply in replies:
        assert texts(add) == [None]
        delete_comment(actor=account("bob"), comment=reply)
    assert texts(add) == []
    assert list(find_wrong_threads()) == []


def test_what_is_hidden_is_read_by_the_owner_staff_and_its_author_and_all_are_told_why(
    add: Function,
) -> None:
    comment, olga = say(add, "Buy this"), account("olga")
    account("staff", is_staff=True)
    assert code_of(hide_comment, actor=olga, comment=comment, reason=" ") == "empty_reason"
    hide_comment(actor=olga, comment=comment, reason="Advertising")
    for reader, read in (("", 0), ("bob", 0), ("ann", 1), ("olga", 1), ("staff", 1)):
        assert texts(add, reader) == (["Buy this"] if read else [None])
    (shown,) = thread_list(add, NOBODY).comments
    assert (shown.hidden_by, shown.hidden_reason) == ("olga", "Advertising")
    unhide_comment(actor=account("staff"), comment=comment)
    assert texts(add) == ["Buy this"]


def test_comments_are_voted_on_like_works_and_elect_nothing(add: Function) -> None:
    comment = say(add)
    FollowUp.objects.all().delete()
    assert code_of(cast_vote, actor=account("bob"), work=comment, value=2) == "invalid_value"
    for value, score in ((1, 1), (1, 1), (-1, -1), (0, 0), (1, 1)):
        assert cast_vote(actor=account("bob"), work=comment, value=value) == score
    (shown,) = thread_list(add, account("bob")).comments
    assert (shown.own_vote, shown.may_vote) == (1, True)
    assert not FollowUp.objects.exists()
    hide_comment(actor=account("olga"), comment=comment, reason="x")
    assert code_of(cast_vote, actor=account("cat"), work=comment, value=1) == "not_published"


@pytest.mark.django_db(transaction=True)
def test_scores_and_counts_are_exact_however_many_talk_at_once() -> None:
    add = define("Add")
    thread = say(add, author="olga")
    people = [account(f"person{n}") for n in range(6)]
    barrier = Barrier(len(people), timeout=PATIENCE_SECONDS)

    def talk(number: int) -> None:
        barrier.wait()
        for value in (1, -1, 0, 1):
            cast_vote(actor=people[number], work=thread, value=value)
        mine = [answer(thread, f"{number} {n}", author=f"person{number}") for n in range(3)]
        delete_comment(actor=people[number], comment=mine[1])
        for text in "abcd":
            write_comment(actor=people[number], subject=add, text=text)

    run_together(talk, range(len(people)))
    joiner.wait_idle(PATIENCE_SECONDS)
    account("person0").votes.all().delete()
    joiner.wait_idle(PATIENCE_SECONDS)
    assert list(find_wrong_tallies()) == []
    assert list(find_wrong_threads()) == []
    row = fresh(thread)
    assert row.replies == 12
    told = Event.objects.filter(type="comment.changed").order_by("seq")
    count = 0
    for event in told:
        count += {"written": 1, "deleted": -1}[event.payload["change"]]
        assert event.payload["count"] == count
    assert count == 37
    assert {len(event.payload) for event in told} == {6}
    tallies = Event.objects.filter(type="tally.changed", payload__item="comment").order_by("seq")
    assert (last := tallies.last()) is not None
    tally = {"item": "comment", "id": thread.pk, "score": 6, "agent_score": 0}
    assert last.payload == tally


def test_verify_tells_of_a_score_a_count_and_a_reply_that_are_wrong(add: Function) -> None:
    thread = say(add)
    reply = answer(thread)
    Comment.objects.filter(pk=thread.pk).update(score=3, replies=2)
    assert [line for line in find_wrong_tallies() if "score is 3" in line]
    assert [line for line in find_wrong_threads() if "replies is 2, expected 1" in line]
    Comment.objects.filter(pk=thread.pk).update(score=0, replies=1)
    work = implement(add, constant("Add", 1))
    assert list(find_wrong_threads()) == []
    Comment.objects.filter(pk=reply.pk).update(implementation=work)
    assert [line for line in find_wrong_threads() if "is on another item than its thread" in line]


@pytest.mark.django_db(transaction=True)
def test_the_page_is_told_what_was_done_and_never_what_was_said() -> None:
    add = define("Add")
    work = implement(add, constant("Add", 1))
    thread = write_comment(actor=account("ann"), subject=work, text="Secret")
    reply = answer(thread, "Secret")
    edit_comment(actor=account("ann"), comment=thread, text="Secret!")
    hide_comment(actor=account("olga"), comment=thread, reason="x")
    unhide_comment(actor=account("olga"), comment=thread)
    delete_comment(actor=account("bob"), comment=reply)
    told = [event.payload for event in Event.objects.filter(type="comment.changed").order_by("seq")]
    assert [(one["comment"], one["change"], one["count"]) for one in told] == [
        (thread.pk, "written", 1),
        (reply.pk, "written", 2),
        (thread.pk, "edited", 2),
        (thread.pk, "hidden", 2),
        (thread.pk, "shown", 2),
        (reply.pk, "deleted", 1),
    ]
    assert {(one["item"], one["id"], one["thread"]) for one in told} == {
        ("implementation", work.pk, thread.pk)
    }
    assert "Secret" not in str(told)


def test_who_talks_without_end_is_stopped_and_nothing_of_it_is_kept(
    add: Function,
    limits: None,  # noqa: F811
) -> None:
    for number in range(60):
        say(add, str(number))
    with pytest.raises(Refusal) as refused:
        say(add, "once more")
    assert (refused.value.status, Comment.objects.count()) == (429, 60)
    say(add, "others may", author="bob")


def test_threads_are_listed_by_age_or_score_in_pages_that_hold(add: Function) -> None:
    made = [say(add, str(number)) for number in range(5)]
    for comment, score in zip(made, (0, 2, -1, 2, 0), strict=True):
        Comment.objects.filter(pk=comment.pk).update(score=score)

    def all_pages(order: str) -> list[str | None]:
        found: list[str | None] = []
        cursor: str | None = ""
        while cursor is not None:
            page = thread_list(add, NOBODY, order=order, cursor=cursor, limit=2)
            found += [one.text for one in page.comments]
            cursor = page.next
        return found

    assert all_pages("newest") == ["4", "3", "2", "1", "0"]
    assert all_pages("best") == ["3", "1", "4", "0", "2"]


def test_pages_take_as_few_queries_with_300_comments_on_50_works_as_with_a_few(
    add: Function,
) -> None:
    reader, client = account("reader"), Client()
    client.force_login(reader)
    thread = answer(say(add)).thread_id

    def costs() -> list[int]:
        found = []
        for path in ("/functions/Add/", "/functions/Add/discussion/", f"/comments/{thread}/"):
            with CaptureQueriesContext(connection) as queries:
                assert client.get(path).status_code == 200
            found.append(len(queries))
        return found

    def fill(works: int, threads: int) -> None:
        last = Implementation.objects.aggregate(last=Max("number"))["last"] or 0
        made = Implementation.objects.bulk_create(
            Implementation(
                function=add,
                author=reader,
                number=last + n,
                state="published",
                published_at=timezone.now(),
            )
            for n in range(1, works + 1)
        )
        for work in made:
            mine = [
                Comment(
                    function=add, implementation=work, author=reader, text=f"<<N{n}>>", replies=1
                )
                for n in range(threads)
            ]
            parents = Comment.objects.bulk_create(mine)
            Comment.objects.bulk_create(
                Comment(function=add, implementation=work, author=reader, text="So.", parent=one)
                for one in parents
            )

    fill(1, 2)
    few = costs()
    fill(49, 3)
    for number in range(20):
        answer(Comment.objects.get(pk=thread), f"So {number}.")
    assert costs() == few
    assert sum(function_page(add, reader).comments.values()) == Comment.objects.count() == 320
