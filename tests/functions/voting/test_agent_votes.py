"""Agents' votes: counted apart, decide nothing unless the site says so, and then once a person."""

from datetime import timedelta
from threading import Barrier
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest_django import DjangoAssertNumQueries
from pytest_django.fixtures import Settings

from functions.maintenance.verification import find_differences, find_wrong_tallies
from functions.models import AgentLabel, Function, Implementation, Test, Vote, VoteChange
from functions.moderation.comments import write_comment
from functions.voting.agent_votes import (
    IDS_AT_ONCE,
    LAST_LOOK_AFTER,
    cast_as_set,
    correct_all,
    correct_votes,
)
from functions.voting.votables import AnyVotable
from functions.voting.votes import cast_vote, vote_on
from runner.pipelines.materialized_views import apply_target, sweep_views
from runner.workers.drainer import Drainer
from tests.patience import PATIENCE_SECONDS
from tests.support.agents import agent_of, labelled
from tests.support.refusals import refusal_of
from tests.support.threads import run_together
from tests.support.works import account, constant, define, implement, publish_test, vote

Scores = tuple[int, int]


@pytest.fixture
def work(db: None) -> Implementation:
    return implement(define("Add"), constant("Add", 1))


@pytest.fixture
def elects(settings: Settings) -> None:
    settings.AGENT_VOTES_ELECT = True


def scores(work: AnyVotable) -> Scores:
    """Return both scores, after all votes are added."""
    for view in (f"{work.noun}_votes", f"{work.noun}_agent_votes"):
        apply_target(view, work.pk)
    work.refresh_from_db()
    assert list(find_wrong_tallies()) == []
    return work.score, work.agent_score


def cast(voter: User, work: AnyVotable, value: int) -> Scores:
    """Vote, and return the scores that the voter is told."""
    told = vote_on(actor=voter, model=type(work), pk=work.pk, value=value)
    return told.score, told.agent_score


def test_votes_of_agents_are_counted_apart(work: Implementation) -> None:
    helper, robot = agent_of("ann", "helper"), labelled("robot")
    said = write_comment(actor=account("ida"), subject=work, text="Hm")
    test = publish_test(work.function, "assert Add()")
    for item in (work, test, said):
        assert cast(account("bob"), item, 1) == (1, 0)
        assert cast(helper, item, 1) == (1, 1)
        assert cast(robot, item, 1) == (1, 2)
        assert cast(helper, item, -1) == (1, 0)
        assert scores(item) == (1, 0)
        assert cast(helper, item, 0) == (1, 1)
        assert scores(item) == (1, 1)
    assert VoteChange.objects.filter(voter=helper).count() == 9


def test_a_person_and_their_agents_do_not_vote_for_each_other(db: None) -> None:
    helper, other = agent_of("ann", "helper"), agent_of("ann", "other")
    add = define("Add")
    by_person = implement(add, constant("Add", 1), author="ann")
    by_agent = implement(add, constant("Add", 2), author="helper[agent]")
    for voter, item in (
        (helper, by_person),
        (account("ann"), by_agent),
        (other, by_agent),
        (helper, by_agent),
    ):
        assert refusal_of(cast_vote, actor=voter, work=item, value=1).code == "own_work"
    stranger = agent_of("bob", "stranger")
    assert cast(stranger, by_person, 1) == cast(stranger, by_agent, 1) == (0, 1)


def test_a_vote_of_an_agent_takes_one_statement(
    work: Implementation, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    helper = agent_of("ann", "helper")
    with django_assert_num_queries(1):
        cast_as_set(helper.pk, Implementation, work.pk, 1)


def test_a_label_moves_the_votes_cast_before_it(work: Implementation) -> None:
    ann, bob = account("ann"), account("bob")
    assert cast(ann, work, 1) == (1, 0)
    assert cast(bob, work, 1) == (2, 0)
    assert scores(work) == (2, 0)
    label = AgentLabel.objects.create(user=ann, source=AgentLabel.Source.STAFF)
    assert list(find_wrong_tallies()) == []  # they are on their way
    assert correct_votes(0) > 0
    assert scores(work) == (1, 1)
    label.refresh_from_db()
    assert label.settled_at is None  # a request that began before may still write
    AgentLabel.objects.update(created_at=timezone.now() - LAST_LOOK_AFTER - timedelta(seconds=1))
    correct_votes(0)
    label.refresh_from_db()
    assert label.settled_at is not None


def test_a_vote_cast_under_a_label_stays_an_agents_until_it_is_cast_again(
    work: Implementation,
) -> None:
    robot = labelled("robot")
    cast(robot, work, 1)
    AgentLabel.objects.all().delete()
    correct_votes(0)
    assert scores(work) == (0, 1)
    assert cast(robot, work, 1) == (1, 0)
    assert scores(work) == (1, 0)
    assert VoteChange.objects.filter(voter=robot).count() == 1


def test_the_setting_takes_effect_for_standing_votes(
    work: Implementation, settings: Settings
) -> None:
    helper, other = agent_of("ann", "helper"), agent_of("ann", "other")
    robot = labelled("robot")
    for voter in (helper, other, robot):
        cast(voter, work, 1)
    assert scores(work) == (0, 3)
    settings.AGENT_VOTES_ELECT = True
    assert len(list(find_wrong_tallies())) == 1  # and of the label, on its way
    assert correct_all() == 2
    assert scores(work) == (2, 1)  # of one person one vote
    settings.AGENT_VOTES_ELECT = False
    after = 0
    while after := correct_votes(after):
        continue
    assert scores(work) == (0, 3)


def test_of_a_person_and_their_agents_one_vote_decides(work: Implementation, elects: None) -> None:
    ann, first, second = account("ann"), agent_of("ann", "first"), agent_of("ann", "second")
    steps = (
        (first, 1, (1, 0)),
        (second, 1, (1, 1)),
        (account("bob"), 1, (2, 1)),
        (ann, -1, (0, 2)),  # the person's own wins
        (ann, -1, (0, 2)),
        (first, -1, (0, 0)),
        (ann, 0, (0, 1)),  # then the first agent's
        (first, 0, (2, 0)),
        (first, 1, (2, 1)),
    )
    for voter, value, expected in steps:
        assert cast(voter, work, value) == expected
        assert scores(work) == expected


@pytest.mark.django_db(transaction=True)
def test_votes_of_a_person_and_agents_at_once_decide_once(elects: None) -> None:
    work = implement(define("Add"), constant("Add", 1))
    group = [account("ann"), *(agent_of("ann", f"helper{number}") for number in range(3))]
    others = [account(f"voter{number}") for number in range(2)]
    for value in (1, -1, 0, 1):
        together = Barrier(len(group) + len(others))

        def cast_at_once(voter: User, value: int = value, together: Barrier = together) -> None:
            together.wait(PATIENCE_SECONDS)
            cast_vote(actor=voter, work=work, value=value)

        run_together(cast_at_once, [*group, *others])
        sweep_views()
        assert scores(work) == (3 * value, 3 * value)
    assert [vote.voter for vote in Vote.objects.filter(apart=False, by_agent=True)] == []


@pytest.mark.django_db(transaction=True)
def test_a_correction_and_votes_at_once_agree(settings: Settings) -> None:
    work = implement(define("Add"), constant("Add", 1))
    robots = [labelled(f"robot{number}") for number in range(4)]
    for elect in (False, True, False):
        settings.AGENT_VOTES_ELECT = elect
        together = Barrier(len(robots) + 1)

        def act(voter: User | None, together: Barrier = together) -> None:
            together.wait(PATIENCE_SECONDS)
            if voter is None:
                correct_all()
                return
            for value in (1, -1, 1):
                cast_vote(actor=voter, work=work, value=value)

        run_together(act, [*robots, None])
        correct_all()
        sweep_views()
        assert scores(work) == ((4, 0) if elect else (0, 4))


def test_voters_that_are_deleted_take_their_votes_from_the_right_tally(
    work: Implementation,
) -> None:
    helper = agent_of("ann", "helper")
    cast(helper, work, 1)
    cast(account("bob"), work, 1)
    assert scores(work) == (1, 1)
    helper.delete()
    assert scores(work) == (1, 0)


def test_a_wrong_sum_of_agents_votes_is_found_and_mended(work: Implementation) -> None:
    cast(agent_of("ann", "helper"), work, 1)
    assert scores(work) == (0, 1)
    Implementation.objects.update(agent_score=5)
    (difference,) = find_wrong_tallies()
    assert "agent_score is 5, its votes sum to 1" in difference
    assert sweep_views() == 1
    assert scores(work) == (0, 1)


def test_all_votes_are_looked_at_in_turn(work: Implementation) -> None:
    Vote.objects.bulk_create(
        Vote(voter=labelled(f"robot{number}"), implementation=work, value=1) for number in range(3)
    )
    AgentLabel.objects.update(settled_at=timezone.now())
    assert len(list(find_wrong_tallies())) > 2
    last = correct_votes(0)
    assert last == Vote.objects.latest("pk").pk
    assert correct_votes(last) == 0
    assert IDS_AT_ONCE > 3
    assert not Vote.objects.filter(apart=False).exists()


VOTERS = ("helper[agent]", "other[agent]", "robot", "bob", "carl")
STEPS = st.lists(
    st.tuples(st.sampled_from(VOTERS), st.integers(0, 3), st.sampled_from((-1, 0, 1))), max_size=8
)


@pytest.mark.django_db(transaction=True)
def test_no_votes_of_agents_change_an_election_a_standing_or_an_order(worker: Drainer) -> None:
    for name in ("helper", "other"):
        agent_of("ann", name)
    labelled("robot")
    items = [_works(worker, name) for name in ("Ash", "Beech")]

    @settings(max_examples=12, suppress_health_check=[HealthCheck.differing_executors])
    @given(steps=STEPS)
    def holds(steps: list[tuple[str, int, int]]) -> None:
        _take_back_all()
        for name, place, value in steps:
            cast_vote(actor=account(name), work=items[0][place], value=value)
            if name in ("bob", "carl"):
                cast_vote(actor=account(name), work=items[1][place], value=value)
        sweep_views()
        worker.drain()
        assert list(find_differences()) == []
        assert _decided("Ash") == _decided("Beech")

    holds()


def _works(worker: Drainer, name: str) -> list[Implementation | Test]:
    """Write two candidates, a test, and a challenge that one of them fails."""
    function = define(name)
    first = implement(function, constant(name, 1))
    test = publish_test(function, f"assert {name}()")
    worker.drain()
    second = implement(function, constant(name, 2))
    worker.drain()
    challenge = publish_test(function, f"assert {name}() == 1", author="eve")
    worker.drain()
    return [first, second, test, challenge]


def _take_back_all() -> None:
    for one in Vote.objects.exclude(value=0).select_related("voter", "implementation", "test"):
        item: Any = one.implementation or one.test
        cast_vote(actor=one.voter, work=item, value=0)
    sweep_views()


def _decided(name: str) -> Any:
    function = Function.objects.get(name=name)
    works = function.implementations.order_by("-score", "number")
    tests = function.tests.order_by("-score", "number")
    return (
        function.elected.number if function.elected else None,
        function.status,
        list(works.values_list("number", "score", "standing", "passed", "counting")),
        list(tests.values_list("number", "score", "counts", "standing_cause", "health")),
    )


def test_votes_decide_again_where_the_setting_says_so(worker: Drainer, elects: None) -> None:
    add = define("Add")
    older = implement(add, constant("Add", 1))
    implement(add, constant("Add", 2))
    worker.drain()
    vote(older, up="bob")
    cast_vote(actor=agent_of("ann", "helper"), work=older, value=1)
    sweep_views()
    worker.drain()
    add.refresh_from_db()
    older.refresh_from_db()
    assert (add.elected, older.score) == (older, 2)
