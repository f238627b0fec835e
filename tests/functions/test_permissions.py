"""Who may do what, asked beforehand by pages: the same answers as the use cases give."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import AnonymousUser
from pytest_django import DjangoAssertNumQueries

from functions.authoring import withdraw
from functions.errors import Refusal
from functions.moderation.acceptability import judge_work
from functions.permissions import may_edit, may_judge, may_moderate, may_see, may_vote, may_withdraw
from functions.registration import may_follow_draft
from functions.voting.votes import cast_vote
from runner.registry import Actor, existing_topics, may_follow
from tests.support.works import account, constant, define, draft_implementation, implement

pytestmark = pytest.mark.django_db

ACTORS = ("ida", "olga", "root", "eve", "")


def actor_named(name: str) -> Actor:
    return account(name, is_staff=name == "root") if name else AnonymousUser()


def who(question: Callable[[Actor], bool]) -> set[str]:
    """Return those of all kinds of people to whom the answer is yes."""
    return {name for name in ACTORS if question(actor_named(name))}


def test_a_draft_is_seen_and_edited_by_its_author() -> None:
    draft = draft_implementation(define("Add", owner="olga"), "", author="ida")
    assert who(lambda actor: may_see(actor, draft)) == {"ida"}
    assert who(lambda actor: may_edit(actor, draft)) == {"ida"}
    assert who(lambda actor: may_vote(actor, draft)) == set()
    assert who(lambda actor: may_withdraw(actor, draft)) == set()
    assert who(lambda actor: may_judge(actor, draft)) == set()


def test_published_work_is_everybodys_to_see_and_nobodys_to_edit() -> None:
    work = implement(define("Add", owner="olga"), constant("Add", 1), author="ida")
    assert who(lambda actor: may_see(actor, work)) == set(ACTORS)
    assert who(lambda actor: may_edit(actor, work)) == set()
    assert who(lambda actor: may_vote(actor, work)) == {"olga", "root", "eve"}
    assert who(lambda actor: may_withdraw(actor, work)) == {"ida"}
    assert who(lambda actor: may_judge(actor, work)) == {"olga", "root"}
    assert who(lambda actor: may_moderate(actor, work.function)) == {"olga", "root"}


def test_work_is_judged_and_withdrawn_only_once_published() -> None:
    work = implement(define("Add"), constant("Add", 1), author="ida")
    withdraw(actor=account("ida"), work=work)
    for act in (
        lambda: withdraw(actor=account("ida"), work=work),
        lambda: judge_work(actor=account("olga"), work=work, acceptable=True),
        lambda: cast_vote(actor=account("eve"), work=work, value=1),
    ):
        with pytest.raises(Refusal) as refused:
            act()
        assert (refused.value.code, refused.value.status) == ("not_published", 409)


def test_an_owners_reason_is_kept_and_checked() -> None:
    work = implement(define("Add"), constant("Add", 1))
    judge_work(actor=account("olga"), work=work, acceptable=False, reason="copied from a book")
    work.refresh_from_db()
    assert (work.acceptable, work.acceptable_reason) == (False, "copied from a book")
    for reason, code in (("x" * 501, "too_long"), ("\0", "invalid_character")):
        with pytest.raises(Refusal) as refused:
            judge_work(actor=account("olga"), work=work, acceptable=True, reason=reason)
        assert (refused.value.code, refused.value.field) == (code, "reason")


def test_a_functions_topic_is_anybodys_while_it_exists() -> None:
    function = define("Add")
    assert who(lambda actor: may_follow(actor, function.topic)) == set(ACTORS)
    for row_id in (
        "0",
        "x",
        "",
        "-1",
        "1 or 1",
        "²",
        "9" * 30,
        f"0{function.pk}",
        f"+{function.pk}",
    ):
        assert not may_follow(AnonymousUser(), f"function:{row_id}")


def test_many_functions_topics_are_looked_up_at_once(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    there = {define(f"F{number}").topic for number in range(10)}
    with django_assert_num_queries(1):
        assert existing_topics({*there, "function:0", "function:x", "user:1", "odd:1"}) == there


def test_a_drafts_topic_is_its_authors_alone() -> None:
    draft = draft_implementation(define("Add", owner="olga"), "", author="ida")
    assert who(lambda actor: may_follow(actor, draft.draft_topic)) == {"ida"}
    for row_id in ("implementation", f"test-{draft.pk}", f"planet-{draft.pk}", "test-x", ""):
        assert not may_follow_draft(account("ida"), row_id)
