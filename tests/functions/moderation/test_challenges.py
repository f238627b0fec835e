"""Challenges: a stranger's later test decides nothing until somebody else stands by it."""

from collections.abc import Callable
from datetime import timedelta
from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection, transaction
from django.utils import timezone

from functions.authoring import delete_function, publish, run_draft, withdraw
from functions.maintenance.verification import find_differences
from functions.models import Cell, Election, Function, Implementation, Notification, Test
from functions.moderation.acceptability import judge_work
from functions.moderation.ownership import transfer_function
from functions.notifications.watches import watch_function
from functions.voting.votes import cast_vote
from runner.models import Attempt, FollowUp, Result
from runner.workers.drainer import Drainer
from tests.support.batch_end import all_batches_end
from tests.support.threads import run_together
from tests.support.works import (
    account,
    constant,
    define,
    draft_test,
    implement,
    publish_test,
    vote,
)

pytestmark = pytest.mark.django_db(transaction=True)

ADD = "def Add(a, b):\n    return a + b\n"
CAPTURE = "def Add(a, b):\n    return 5 if a == 9 else a + b\n"
DOUBLE = "# <<Add>>\ndef Double(a):\n    return Add(a, a)\n"


def settled(worker: Drainer) -> None:
    worker.drain()
    assert list(find_differences()) == []
    assert not FollowUp.objects.exists()
    assert all_batches_end()


def fresh(row: Function) -> Function:
    return Function.objects.select_related("elected").get(pk=row.pk)


def cause(test: Test) -> tuple[str, bool]:
    """Return what gave the test standing, and whether it counts."""
    test.refresh_from_db()
    assert (test.standing_since is not None) == bool(test.standing_cause)
    return test.standing_cause, test.counts


def told(name: str) -> list[str]:
    rows = Notification.objects.filter(user__username=name, notice__kind="challenge")
    return list(rows.order_by("pk").values_list("notice__text", flat=True))


@pytest.fixture
def add(worker: Drainer) -> Function:
    """Add of olga's, implemented by ida, with a test; Double of dora's imports it."""
    add, double = define("Add"), define("Double", owner="dora")
    publish_test(add, "assert Add(2, 2) == 4")
    implement(add, ADD)
    implement(double, DOUBLE, author="dora")
    settled(worker)
    return add


def test_a_strangers_wrong_test_unseats_nobody_and_blocks_no_dependent(
    add: Function, worker: Drainer
) -> None:
    elections = Election.objects.count()
    wrong = publish_test(add, "assert Add(2, 2) == 5", author="eve")
    settled(worker)
    assert cause(wrong) == ("", False)
    assert wrong.is_challenge
    assert Cell.objects.get(test=wrong).verdict == "failed"  # it is run and shown
    assert fresh(add).status == "implemented"
    assert Function.objects.get(name="Double").status == "implemented"
    assert Election.objects.count() == elections
    # A second test of the same stranger's, and a vote of theirs, change nothing either.
    publish_test(add, "assert Add(1, 1) == 3", author="eve")
    settled(worker)
    assert Election.objects.count() == elections


def test_a_true_report_counts_with_a_second_persons_vote(add: Function, worker: Drainer) -> None:
    report = publish_test(add, "assert Add('a', 1) == 'a1'", author="eve")
    settled(worker)
    assert fresh(add).status == "implemented"
    vote(report, up="nora")
    settled(worker)
    assert cause(report) == ("voted", True)
    assert fresh(add).elected is None
    # What it has gained it keeps, though the vote is taken back; acceptable it is by its score.
    cast_vote(actor=account("nora"), work=report, value=0)
    vote(report, down="olga")
    settled(worker)
    assert cause(report) == ("voted", False)
    vote(report, up="nora")
    settled(worker)
    assert cause(report) == ("voted", True)
    assert Election.objects.filter(function=add).latest("id").cause.startswith("votes on test T2")


def test_the_owner_accepts_a_challenge_and_what_it_gained_stays(
    add: Function, worker: Drainer
) -> None:
    report = publish_test(add, "assert Add('a', 1) == 'a1'", author="eve")
    settled(worker)
    judge_work(actor=account("olga"), work=report, acceptable=True)
    # Though it is taken back before anybody holds an election.
    judge_work(actor=account("olga"), work=report, acceptable=None)
    settled(worker)
    assert cause(report) == ("accepted", True)
    assert fresh(add).elected is None
    judge_work(actor=account("olga"), work=report, acceptable=False, reason="no")
    settled(worker)
    assert cause(report) == ("accepted", False)
    assert fresh(add).elected is not None


@pytest.mark.parametrize(
    ("author", "is_later", "expected"),
    [
        ("olga", True, "owner"),
        ("olga", False, "owner"),
        ("eve", False, "early"),
        ("eve", True, ""),
        ("sue", True, ""),  # staff may accept it
    ],
)
def test_a_challenge_is_a_strangers_after_the_first_election(
    worker: Drainer, author: str, is_later: bool, expected: str
) -> None:
    account("sue", is_staff=True)
    two = define("Two")
    implement(two, constant("Two", 2))
    if is_later:
        settled(worker)
    test = publish_test(two, "assert Two() == 3", author=author)
    settled(worker)
    assert cause(test) == (expected, bool(expected))
    assert (fresh(two).elected is None) == bool(expected)
    if author == "sue":
        judge_work(actor=account("sue"), work=test, acceptable=True)
        settled(worker)
        assert cause(test) == ("accepted", True)


def test_losing_the_election_makes_no_challenge_count(add: Function, worker: Drainer) -> None:
    current = fresh(add).elected
    assert current
    wrong = publish_test(add, "assert Add(2, 2) == 5", author="eve")
    withdraw(actor=current.author, work=current)
    settled(worker)
    assert fresh(add).elected is None
    later = publish_test(add, "assert Add(1, 1) == 3", author="eve")
    better = implement(add, "def Add(a, b):\n    return b + a\n")
    settled(worker)
    assert fresh(add).elected == better
    assert cause(wrong) == cause(later) == ("", False)


def test_a_challenge_that_the_current_one_passes_counts_from_then_on(
    add: Function, worker: Drainer
) -> None:
    zero = publish_test(add, "assert Add(0, 7) == 7", author="eve")
    settled(worker)
    assert cause(zero) == ("passed", True)
    assert zero.proven_by == fresh(add).elected
    # So one that doesn't pass it takes nobody's place.
    worse = implement(add, "def Add(a, b):\n    return a + b if a else 0\n")
    vote(worse, up="ann bob")
    settled(worker)
    assert fresh(add).elected == zero.proven_by
    # Without any current one the test is what it was, and the next one passes it.
    withdraw(actor=account("ida"), work=fresh(add).elected or worse)
    settled(worker)
    assert (fresh(add).elected, cause(zero)) == (None, ("passed", True))
    again = implement(add, ADD + "# again\n")
    settled(worker)
    assert fresh(add).elected == again
    zero.refresh_from_db()
    assert zero.proven_by == again
    assert cause(zero) == ("passed", True)


def test_a_new_current_one_that_passes_a_challenge_gives_it_standing(
    add: Function, worker: Drainer
) -> None:
    text = publish_test(add, "assert Add('a', 1) == 'a1'", author="eve")
    settled(worker)
    assert cause(text) == ("", False)
    both = implement(add, "def Add(a, b):\n    return f'{a}{b}' if isinstance(a, str) else a + b\n")
    vote(both, up="ann")
    settled(worker)
    assert fresh(add).elected == both
    assert cause(text) == ("passed", True)


def test_blocked_or_waiting_is_not_passing(worker: Drainer) -> None:
    base, top = define("Base"), define("Top")
    only = implement(base, constant("Base", 1))
    implement(top, "# <<Base>>\ndef Top():\n    return Base()\n")
    settled(worker)
    withdraw(actor=only.author, work=only)
    settled(worker)
    assert fresh(top).status == "blocked"
    test = publish_test(top, "assert Top() == 1", author="eve")
    settled(worker)
    assert cause(test) == ("", False)
    implement(base, constant("Base", 1) + "# anew\n")
    settled(worker)
    assert cause(test) == ("passed", True)


@pytest.fixture
def using(add: Function, worker: Drainer) -> tuple[Function, Test]:
    """Eve's Four, which is 4, and her test of Add that uses it and is passed."""
    four = define("Four", owner="eve")
    implement(four, constant("Four", 4), author="eve")
    settled(worker)
    test = publish_test(add, "# <<Four>>\nassert Add(2, 2) == Four()", author="eve")
    settled(worker)
    assert cause(test) == ("passed", True)
    return four, test


def test_standing_by_passing_ends_with_a_change_of_what_the_test_uses(
    add: Function, using: tuple[Function, Test], worker: Drainer
) -> None:
    four, test = using
    implement(four, constant("Four", 5), author="eve")
    settled(worker)
    assert Cell.objects.get(test=test).verdict == "failed"
    assert cause(test) == ("", False)
    assert fresh(add).status == "implemented"
    assert told("ida") == ["#1 does not pass T2, a challenge: it doesn't count yet"]
    # It gains it anew by being passed.
    for value in ("4.0", "2 + 2"):
        implement(four, f"def Four():\n    return {value}\n", author="eve")
        settled(worker)
        assert cause(test) == ("passed", True)


def test_standing_by_a_vote_does_not_end_with_what_the_test_uses(
    add: Function, using: tuple[Function, Test], worker: Drainer
) -> None:
    four, test = using
    vote(test, up="nora")
    settled(worker)
    assert cause(test) == ("voted", True)
    implement(four, constant("Four", 5), author="eve")
    settled(worker)
    assert cause(test) == ("voted", True)
    assert fresh(add).elected is None


def test_standing_by_passing_stays_whatever_else_changes(worker: Drainer) -> None:
    base, top = define("Base"), define("Top")
    implement(base, constant("Base", 1))
    implement(top, "# <<Base>>\ndef Top():\n    return Base()\n")
    settled(worker)
    test = publish_test(top, "assert Top() == 1", author="eve")
    settled(worker)
    assert cause(test) == ("passed", True)
    implement(base, constant("Base", 2))
    settled(worker)
    assert cause(test) == ("passed", True)
    assert fresh(top).elected is None


def test_a_test_broken_or_circular_for_a_while_has_its_standing_back(
    add: Function, using: tuple[Function, Test], worker: Drainer
) -> None:
    four, test = using
    since = Test.objects.get(pk=test.pk).standing_since
    [only] = Implementation.objects.filter(function=four)
    round_about = implement(four, "# <<Add>>\ndef Four():\n    return Add(1, 3)\n", author="eve")
    vote(round_about, up="nora")
    settled(worker)
    assert cause(test) == ("passed", False)
    assert test.health == "circular"
    withdraw(actor=account("eve"), work=round_about)
    settled(worker)
    assert cause(test) == ("passed", True)
    withdraw(actor=account("eve"), work=only)
    settled(worker)
    assert cause(test) == ("passed", False)
    assert test.health == "broken"
    implement(four, constant("Four", 4) + "# back\n", author="eve")
    settled(worker)
    assert cause(test) == ("passed", True)
    assert test.standing_since == since


def test_a_dependency_changed_while_none_is_elected_keeps_none_from_coming_back(
    worker: Drainer,
) -> None:
    base, top, four = define("Base"), define("Top"), define("Four", owner="eve")
    implement(base, constant("Base", 1))
    implement(top, "# <<Base>>\ndef Top():\n    return 3 + Base()\n")
    implement(four, constant("Four", 4), author="eve")
    publish_test(top, "assert Top() == 4")
    settled(worker)
    test = publish_test(top, "# <<Four>>\nassert Top() == Four()", author="eve")
    settled(worker)
    assert cause(test) == ("passed", True)
    worse = implement(base, constant("Base", 2))
    settled(worker)
    assert fresh(top).elected is None
    implement(four, constant("Four", 7), author="eve")
    settled(worker)
    withdraw(actor=worse.author, work=worse)
    settled(worker)
    assert cause(test) == ("", False)
    assert fresh(top).status == "implemented"


def test_two_runs_that_disagree_end_what_a_pass_has_given(add: Function, worker: Drainer) -> None:
    test = publish_test(add, "assert Add(0, 7) == 7", author="eve")
    settled(worker)
    key = Cell.objects.get(test=test).key
    # As it is recorded when the program is run again and comes to something else.
    Result.objects.filter(execution__key=key).update(verdict="flaky")
    Cell.objects.filter(key=key).update(verdict="flaky")
    FollowUp.objects.create(name="functions.settle", target=str(add.pk), arguments={"cause": "x"})
    settled(worker)
    assert cause(test) == ("", False)
    assert fresh(add).status == "implemented"


def test_whoever_becomes_the_owner_has_no_challenges(add: Function, worker: Drainer) -> None:
    test = publish_test(add, "assert Add('a', 1) == 'a1'", author="eve")
    settled(worker)
    account("sue", is_staff=True)
    transfer_function(actor=account("sue"), function=add, to="eve")
    settled(worker)
    assert cause(test) == ("owner", True)
    transfer_function(actor=account("sue"), function=add, to="olga")
    settled(worker)
    assert cause(test) == ("owner", True)


def test_a_challenge_is_told_to_the_owner_the_author_and_watchers_once(
    add: Function, worker: Drainer
) -> None:
    watch_function(actor=account("wendy"), function=add, watching=True)
    for name in ("olga", "ida"):  # they are told all the same
        watch_function(actor=account(name), function=add, watching=False)
    draft = draft_test(add, "assert Add(2, 2) == 5", author="eve")
    run_draft(actor=draft.author, draft=draft)  # what it comes to is known when it is published
    worker.drain()
    publish(actor=draft.author, draft=draft)
    settled(worker)
    said = ["#1 does not pass T2, a challenge: it doesn't count yet"]
    assert [told(name) for name in ("olga", "ida", "wendy", "eve", "dora")] == [
        *[said] * 3,
        [],
        [],
    ]
    vote(draft, down="nora")
    vote(draft, up="nora")
    publish_test(add, "assert Add(0, 0) == 0", author="eve")  # it is passed: nothing to tell
    settled(worker)
    assert [told(name) for name in ("olga", "ida", "wendy")] == [said] * 3
    other = implement(add, "def Add(a, b):\n    return b + a\n")
    vote(other, up="nora")
    settled(worker)
    assert told("olga") == said


def test_a_vote_that_arrives_while_an_election_is_held_gives_standing(
    add: Function, worker: Drainer
) -> None:
    for number in range(4):
        test = publish_test(add, f"assert Add({number}, 0) == 'no'", author="eve")

        def vote_or_elect(place: int, test: Test = test) -> None:
            if place:
                cast_vote(actor=account(f"voter{place}"), work=test, value=1)
            else:
                worker.drain()

        run_together(vote_or_elect, range(3))
        vote(test, up="last")
        settled(worker)
        assert cause(test) == ("voted", True)
        assert fresh(add).elected is None
        withdraw(actor=account("eve"), work=test)
        settled(worker)
        assert fresh(add).elected


# --- equals -----------------------------------------------------------------------------------


def test_an_equal_of_a_strangers_does_not_capture_what_others_import(
    add: Function, worker: Drainer
) -> None:
    current = fresh(add).elected
    capture = implement(add, CAPTURE, author="eve")
    settled(worker)
    assert fresh(add).elected == current
    capture.refresh_from_db()
    assert capture.standing == "eligible"
    assert not Election.objects.filter(elected=capture).exists()
    vote(capture, up="nora")
    settled(worker)
    assert fresh(add).elected == capture
    # That one is imported now: of equals the former doesn't come back by itself.
    cast_vote(actor=account("nora"), work=capture, value=0)
    settled(worker)
    assert fresh(add).elected == capture


@pytest.mark.parametrize("author", ["olga", "ida"])
def test_it_yields_to_an_equal_of_the_owners_or_of_its_own_authors(
    add: Function, worker: Drainer, author: str
) -> None:
    implement(add, CAPTURE, author="eve")
    newer = implement(add, ADD + "# newer\n", author=author)
    implement(add, CAPTURE + "# once more\n", author="eve")
    settled(worker)
    assert fresh(add).elected == newer


def release_by_another(add: Function) -> None:
    double = Function.objects.get(name="Double")
    vote(implement(double, "def Double(a):\n    return 2 * a\n", author="dora"), up="nora")


def release_by_withdrawal(add: Function) -> None:
    [work] = Implementation.objects.filter(function__name="Double")
    withdraw(actor=work.author, work=work)


def release_by_deletion(add: Function) -> None:
    delete_function(actor=account("dora"), function=Function.objects.get(name="Double"))


def release_by_one_owner(add: Function) -> None:
    double = Function.objects.get(name="Double")
    transfer_function(actor=account("sue", is_staff=True), function=double, to="olga")


def release_by_its_owner(add: Function) -> None:
    transfer_function(actor=account("sue", is_staff=True), function=add, to="dora")


def release_by_the_newest(add: Function) -> None:
    account("eve")
    transfer_function(actor=account("sue", is_staff=True), function=add, to="eve")


@pytest.mark.parametrize(
    "release",
    [
        release_by_another,
        release_by_withdrawal,
        release_by_deletion,
        release_by_one_owner,
        release_by_its_owner,
        release_by_the_newest,
    ],
)
def test_where_no_other_owner_imports_it_the_newest_of_equals_wins(
    add: Function, worker: Drainer, release: Callable[[Function], None]
) -> None:
    newest = implement(add, CAPTURE, author="eve")
    settled(worker)
    assert fresh(add).elected != newest
    release(add)
    settled(worker)
    assert fresh(add).elected == newest


def test_what_counts_before_an_upgrade_counts_after_it(add: Function, worker: Drainer) -> None:
    strangers = publish_test(add, "assert Add(1, 1) == 2", author="eve")
    vote(strangers, up="nora")
    rejected = publish_test(add, "assert Add(2, 2) == 5", author="eve")
    passed = publish_test(add, "assert Add(0, 0) == 0", author="eve")
    for test in (rejected, passed):
        judge_work(actor=account("olga"), work=test, acceptable=False)
    own = publish_test(add, "assert Add(1, 0) == 1")
    judge_work(actor=account("olga"), work=own, acceptable=False)
    settled(worker)
    before = dict(Test.objects.values_list("pk", "counts"))
    # As it was before: nothing is recorded.
    Test.objects.update(standing_cause="", standing_since=None, proven_by=None, proven_uses=b"")
    migration = import_module("functions.migrations.0021_standing_of_tests")
    with transaction.atomic(), connection.schema_editor() as editor:
        migration.keep_standing(apps, editor)
        assert list(FollowUp.objects.values_list("target", flat=True)) == [str(add.pk)]
    settled(worker)
    assert dict(Test.objects.values_list("pk", "counts")) == before
    assert [cause(test)[0] for test in (strangers, rejected, passed, own)] == [
        "upgrade",
        "",
        "passed",
        "owner",
    ]
    assert Attempt.objects.exists()
    assert Test.objects.filter(standing_since__lt=timezone.now() - timedelta(hours=1)).count() == 0
