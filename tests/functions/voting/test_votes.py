"""Votes: one of each user, never on one's own, and a tally that is always their sum."""

from datetime import timedelta
from threading import Barrier
from unittest.mock import ANY

import pytest
from django.db import connection
from django.db.models import Sum
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries

from functions.authoring import withdraw
from functions.errors import Conflict
from functions.maintenance.verification import find_wrong_tallies
from functions.models import Function, Implementation, Test, Vote
from functions.voting.cast import VoteResult, cast, view_name
from functions.voting.votes import cast_vote
from runner.models import Arrival, Event, FollowUp, Incident
from runner.pipelines.materialized_views import VIEW_REBUILT, apply_target, joiner, sweep_views
from runner.workers.drainer import Drainer
from tests.patience import PATIENCE_SECONDS
from tests.support.refusals import refusal_of
from tests.support.threads import run_together
from tests.support.works import (
    account,
    constant,
    define,
    implement,
    publish_test,
    vote,
)


@pytest.fixture
def work(db: None) -> Implementation:
    return implement(define("Add"), constant("Add", 1))


def test_a_vote_can_be_cast_changed_and_taken_back(work: Implementation) -> None:
    ann = account("ann")
    assert cast_vote(actor=ann, work=work, value=1) == 1
    assert cast_vote(actor=ann, work=work, value=1) == 1
    assert cast_vote(actor=ann, work=work, value=-1) == -1
    assert cast_vote(actor=ann, work=work, value=0) == 0
    assert Vote.objects.get().value == 0


def test_a_vote_that_was_never_cast_can_be_taken_back(work: Implementation) -> None:
    assert cast_vote(actor=account("ann"), work=work, value=0) == 0
    assert not Vote.objects.exists()


def test_tests_are_voted_on_too(db: None) -> None:
    asking = publish_test(define("Add"), "assert True")
    assert vote(asking, up="ann bob", down="carl") == 1


@pytest.mark.parametrize("value", [2, -2, 10**20, True])
def test_a_vote_is_one_of_three_values(work: Implementation, value: int) -> None:
    refusal = refusal_of(cast_vote, actor=account("ann"), work=work, value=value)
    assert (refusal.code, refusal.field) == ("invalid_value", "value")


def test_a_vote_that_changes_nothing_causes_nothing(work: Implementation) -> None:
    FollowUp.objects.all().delete()
    cast_vote(actor=account("ann"), work=work, value=0)
    assert not FollowUp.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_the_page_is_told_the_tally() -> None:
    work = implement(define("Add"), constant("Add", 1))
    vote(work, up="ann bob")
    told = Event.objects.filter(type="tally.changed").order_by("seq")
    assert [event.payload for event in told] == [
        {"item": "implementation", "id": work.pk, "score": 1, "agent_score": 0},
        {"item": "implementation", "id": work.pk, "score": 2, "agent_score": 0},
    ]


@pytest.mark.django_db(transaction=True)
def test_the_tally_is_exact_under_concurrent_and_repeated_votes() -> None:
    work = implement(define("Add"), constant("Add", 1))
    voters = [account(f"voter{n}") for n in range(8)]
    barrier = Barrier(len(voters), timeout=PATIENCE_SECONDS)

    def vote_to_and_fro(number: int) -> None:
        barrier.wait()
        for value in (1, -1, -1, 0, 1, 1, -1 if number % 3 == 0 else 1):
            cast_vote(actor=voters[number], work=work, value=value)

    run_together(vote_to_and_fro, range(len(voters)))
    joiner.wait_idle(PATIENCE_SECONDS)
    work.refresh_from_db()
    assert Vote.objects.count() == len(voters)
    assert work.score == 2
    assert Vote.objects.aggregate(total=Sum("value"))["total"] == 2


@pytest.mark.django_db(transaction=True)
def test_one_user_voting_in_many_windows_at_once_has_one_vote() -> None:
    asking = publish_test(define("Add"), "assert True")
    ann = account("ann")
    barrier = Barrier(6, timeout=PATIENCE_SECONDS)

    def vote_up(_: int) -> int:
        barrier.wait()
        return cast_vote(actor=ann, work=Test.objects.get(), value=1)

    assert run_together(vote_up, range(6)) == [1] * 6
    joiner.wait_idle(PATIENCE_SECONDS)
    asking.refresh_from_db()
    assert (asking.score, Vote.objects.count()) == (1, 1)


def test_votes_during_elections_are_not_lost(worker: Drainer) -> None:
    add = define("Add")
    works = [implement(add, constant("Add", n)) for n in range(3)]
    voters = [account(f"voter{n}") for n in range(4)]
    worker.drain()

    def vote_or_elect(number: int) -> None:
        if number == len(voters):
            for _ in range(10):
                worker.drain()
            return
        for value in (1, 0, -1, 1):
            for each in works:
                cast_vote(actor=voters[number], work=each, value=value)

    run_together(vote_or_elect, range(len(voters) + 1))
    joiner.wait_idle(PATIENCE_SECONDS)
    worker.drain()
    for each in works:
        each.refresh_from_db()
        assert each.score == len(voters)
    assert Function.objects.get().elected == works[-1]


@pytest.mark.django_db(transaction=True)
def test_a_vote_on_work_that_is_withdrawn_meanwhile_counts_or_is_refused() -> None:
    """Whichever comes first: what voters were told and what is counted agree."""
    work = implement(define("Add"), constant("Add", 1))
    voters = [account(f"voter{n}") for n in range(6)]
    barrier = Barrier(len(voters) + 1, timeout=PATIENCE_SECONDS)

    def vote_or_withdraw(number: int) -> bool:
        barrier.wait()
        if number == len(voters):
            withdraw(actor=work.author, work=work)
            return False
        try:
            cast_vote(actor=voters[number], work=work, value=1)
        except Conflict:
            return False
        return True

    taken = sum(run_together(vote_or_withdraw, range(len(voters) + 1)))
    joiner.wait_idle(PATIENCE_SECONDS)
    work.refresh_from_db()
    assert work.score == taken == Vote.objects.count()
    assert refusal_of(cast_vote, actor=voters[0], work=work, value=0).code == "not_published"


def test_voters_that_are_deleted_take_their_votes_along(work: Implementation) -> None:
    assert vote(work, up="ann bob", down="carl") == 1
    account("ann").delete()
    assert list(find_wrong_tallies()) == []  # it is on its way
    apply_target(view_name(Implementation), work.pk)
    work.refresh_from_db()
    assert work.score == 0
    assert list(find_wrong_tallies()) == []


def test_the_voter_is_told_the_tally_with_all_votes_cast_by_then(work: Implementation) -> None:

    def told(score: int, *, is_changed: bool = True) -> VoteResult:
        views = [view_name(Implementation)] if is_changed else []
        return VoteResult("published", work.author_id, False, False, views, False, ANY, score, 0)

    for number, name in enumerate("ann bob carl".split(), 1):
        assert cast(account(name).pk, Implementation, work.pk, 1) == told(number)
    assert cast(account("bob").pk, Implementation, work.pk, -1) == told(1)
    assert cast(account("bob").pk, Implementation, work.pk, -1) == told(1, is_changed=False)
    work.refresh_from_db()
    assert work.score == 0  # nobody has joined
    assert list(find_wrong_tallies()) == []


def test_a_vote_takes_one_statement_and_touches_no_row_that_others_touch(
    work: Implementation, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    ann = account("ann")
    with django_assert_num_queries(1) as queries:
        cast(ann.pk, Implementation, work.pk, 1)
    assert "update functions_" not in queries[0]["sql"].lower()


def test_many_votes_are_added_in_one_write_with_one_election(work: Implementation) -> None:
    FollowUp.objects.all().delete()
    for number in range(100):
        cast(account(f"voter{number}").pk, Implementation, work.pk, 1 if number % 4 else -1)
    with CaptureQueriesContext(connection) as queries:
        assert apply_target(view_name(Implementation), work.pk)
    writes = [query["sql"] for query in queries if query["sql"].startswith('UPDATE "functions_')]
    assert len(writes) == 1
    assert FollowUp.objects.count() == 1
    work.refresh_from_db()
    assert work.score == 50


def test_a_tally_that_is_off_is_told_by_verify_and_put_right_by_the_sweeper(
    work: Implementation,
) -> None:
    assert vote(work, up="ann bob") == 2
    Implementation.objects.update(score=7)
    assert [each for each in find_wrong_tallies() if "score is 7, its votes sum to 2" in each]
    sweep_views()
    work.refresh_from_db()
    assert work.score == 2
    assert Incident.objects.get().kind == VIEW_REBUILT


@pytest.mark.django_db(transaction=True)
def test_work_whose_last_voter_died_after_voting_is_counted_all_the_same() -> None:
    work = implement(define("Add"), constant("Add", 1))
    assert cast(account("ann").pk, Implementation, work.pk, 1) is not None
    Arrival.objects.update(arrived_at=Now() - timedelta(minutes=1))
    sweep_views()
    work.refresh_from_db()
    assert work.score == 1
