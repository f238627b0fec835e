"""Elections that chase each other: they end soon, and whoever took part is unsettled."""

from collections.abc import Callable, Iterator

import pytest
from django.test import Client
from django.utils import timezone

from functions.authoring import delete_function, withdraw
from functions.elections import unsettled
from functions.elections.causes import Change, find_cycle_path
from functions.maintenance.verification import find_differences
from functions.models import Chase, Election, Function, Implementation, Level, Notification, Test
from functions.moderation.acceptability import judge_work
from functions.read_models.explanation import why_page
from runner.models import Event, FollowUp
from runner.sandbox import Pool
from runner.workers.drainer import Drainer
from tests.support.batch_end import all_batches_end
from tests.support.threads import run_together
from tests.support.works import account, constant, define, implement, publish_test, vote

pytestmark = pytest.mark.django_db(transaction=True)


def fresh(row: Function) -> Function:
    return Function.objects.select_related("elected", "chase").get(pk=row.pk)


def settled(worker: Drainer) -> None:
    worker.drain()
    assert list(find_differences()) == []
    assert not FollowUp.objects.exists()
    assert all_batches_end()
    assert not Function.objects.filter(deleted_at=None, judging=True).exists()


def values(*functions: Function) -> list[int | None]:
    """Return what the current implementations of these return."""
    codes = [each.elected.code if (each := fresh(row)).elected else None for row in functions]
    return [int(code.split("return ")[1]) if code else None for code in codes]


def binary(name: str) -> Function:
    """Define a function that returns 0 or, by another implementation, 1; the first has a vote."""
    function = define(name)
    vote(implement(function, constant(name, 0)), up="ann")
    implement(function, constant(name, 1))
    return function


def pair(worker: Drainer) -> tuple[Function, Function, Test, Test]:
    """Let Left want to agree with Right, and Right to differ from Left: no choice suits both."""
    left, right = binary("Left"), binary("Right")
    settled(worker)
    agrees = publish_test(left, "# <<Right>>\nassert Left() == Right()", author="olga")
    settled(worker)
    differs = publish_test(right, "# <<Left>>\nassert Right() != Left()", author="olga")
    return left, right, agrees, differs


def last_changes(number: int) -> list[tuple[str, bool]]:
    rows = Election.objects.order_by("-id")[:number]
    return [(row.function.name, row.unsettled) for row in reversed(rows)]


def test_two_that_chase_each_other_are_unsettled_within_four_levels(worker: Drainer) -> None:
    left, right, agrees, differs = pair(worker)
    before = Election.objects.count()
    settled(worker)
    assert values(left, right) == [0, 0]
    chase = Chase.objects.get()
    assert fresh(left).chase == fresh(right).chase == chase
    assert sorted(chase.names) == ["Left", "Right"]
    assert chase.tests == [agrees.pk, differs.pk]
    # Right, Left, and Right would be again what it was: so both are put back.
    assert Election.objects.count() - before <= 4
    assert last_changes(4) == [
        ("Right", False),
        ("Left", False),
        ("Right", True),
        ("Left", True),
    ] or last_changes(4) == [("Right", False), ("Left", False), ("Left", True), ("Right", True)]
    assert Level.objects.filter(number__gt=4).count() == 0
    assert fresh(left).status == fresh(right).status == "implemented"
    told = Notification.objects.filter(notice__kind="unsettled", user__username="olga")
    assert told.count() == 1


def test_what_is_recorded_leads_from_each_change_to_what_caused_it(worker: Drainer) -> None:
    pair(worker)
    settled(worker)
    first, second, *back = Election.objects.order_by("-id")[:4][::-1]
    assert (first.caused_by, second.caused_by) == ([], [first.pk])
    assert (first.began, second.began) == (None, first.pk)
    assert {tuple(row.caused_by) for row in back} == {(first.pk, second.pk)}


@pytest.mark.parametrize("end", ["withdraw", "reject", "vote", "better", "delete"])
def test_it_is_over_when_one_of_the_tests_or_candidates_changes(worker: Drainer, end: str) -> None:
    left, right, agrees, differs = pair(worker)
    settled(worker)
    if end == "withdraw":
        withdraw(actor=differs.author, work=differs)
    elif end == "reject":
        judge_work(actor=account("olga"), work=differs, acceptable=False, reason="no")
    elif end == "vote":
        vote(differs, down="ann")
    elif end == "better":
        implement(right, "# <<Left>>\ndef Right():\n    return Left() + 0\n# 0\n")
        judge_work(actor=account("olga"), work=agrees, acceptable=False, reason="no")
    else:
        delete_function(actor=account("olga"), function=right)
    settled(worker)
    assert not Chase.objects.exists()
    assert not Function.objects.exclude(chase=None).exists()
    assert values(left)[0] in (0, 1)


@pytest.mark.parametrize("pause", [False, True])
def test_nothing_is_left_of_those_that_are_all_deleted(worker: Drainer, pause: bool) -> None:
    left, right, *_ = pair(worker)
    settled(worker)
    assert Chase.objects.exists()
    for function in (left, right):
        delete_function(actor=account("olga"), function=function)
        if pause:
            settled(worker)
    settled(worker)
    assert not Chase.objects.exists()


def test_an_attempt_that_changes_nothing_leaves_them_unsettled_and_tells_nobody_again(
    worker: Drainer,
) -> None:
    left, right, *_ = pair(worker)
    settled(worker)
    former = Chase.objects.get()
    for voter in ("bob", "carl"):
        vote(Implementation.objects.get(function=left, number=1), up=voter)
        settled(worker)
    assert Chase.objects.get() != former
    assert values(left, right) == [0, 0]
    told = Notification.objects.filter(notice__kind="unsettled", user__username="olga")
    assert told.count() == 1


def test_three_that_chase_each_other_are_unsettled(worker: Drainer) -> None:
    functions = [binary(name) for name in ("One", "Two", "Three")]
    settled(worker)
    one, two, three = functions
    publish_test(two, "# <<One>>\nassert Two() == One()", author="olga")
    publish_test(three, "# <<Two>>\nassert Three() == Two()", author="olga")
    settled(worker)
    before = Election.objects.count()
    publish_test(one, "# <<Three>>\nassert One() != Three()", author="olga")
    settled(worker)
    chase = Chase.objects.get()
    assert sorted(chase.names) == ["One", "Three", "Two"]
    assert len(chase.tests) == 3
    assert values(*functions) == [0, 0, 0]
    assert Election.objects.count() - before == 6


def test_who_returns_to_a_choice_by_a_diamond_is_settled(worker: Drainer) -> None:
    """Top is 1 where Near and Far differ: so while the change has reached one of them alone."""
    names = ("Base", "Near", "First", "Second", "Third", "Far", "Top")
    functions = [binary(name) for name in names]
    settled(worker)
    _, near, *way, top = functions
    followed = ("Base", "Base", "First", "Second", "Third")
    for function, other in zip([near, *way], followed, strict=True):
        code = f"# <<{other}>>\nassert {function.name}() == {other}()"
        publish_test(function, code, author="olga")
    publish_test(top, "# <<Near>>\n# <<Far>>\nassert Top() == abs(Near() - Far())", author="olga")
    settled(worker)
    before = Election.objects.filter(function=top).count()
    vote(Implementation.objects.get(function=functions[0], number=2), up="ann bob")
    settled(worker)
    assert values(*functions) == [1, 1, 1, 1, 1, 1, 0]
    assert Election.objects.filter(function=top).count() - before == 2  # to 1, and back
    assert not Chase.objects.exists()


def test_the_pages_name_them_and_their_tests_and_say_what_would_end_it(worker: Drainer) -> None:
    left, right, agrees, differs = pair(worker)
    settled(worker)
    page = Client().get(left.get_absolute_url()).content.decode()
    shown = page[page.index('id="unsettled"') :]
    shown = shown[: shown.index("</div></div>")]
    for part in (right.get_absolute_url(), agrees.get_absolute_url(), differs.get_absolute_url()):
        assert f'href="{part}"' in shown
    assert "withdrawn by its author, or rejected by the owner or by votes" in shown
    assert "so #1 stays current, as before" in why_page(left).ruling.sentence
    told = Event.objects.filter(topic__name=left.topic, type="standing.changed").latest("seq")
    assert told.payload["unsettled"] == ["Right"]
    assert told.payload["judging"] is False
    withdraw(actor=agrees.author, work=agrees)
    settled(worker)
    told = Event.objects.filter(topic__name=left.topic, type="standing.changed").latest("seq")
    assert told.payload["unsettled"] is None
    assert 'id="unsettled"' not in Client().get(left.get_absolute_url()).content.decode()


def test_what_depends_on_them_follows(worker: Drainer) -> None:
    left, right = binary("Left"), binary("Right")
    follower, user = binary("Follower"), define("User")
    implement(user, "# <<Right>>\ndef User():\n    return Right()\n")
    publish_test(follower, "# <<Right>>\nassert Follower() == Right()", author="olga")
    settled(worker)
    publish_test(left, "# <<Right>>\nassert Left() == Right()", author="olga")
    publish_test(right, "# <<Left>>\nassert Right() != Left()", author="olga")
    settled(worker)
    assert sorted(Chase.objects.get().names) == ["Left", "Right"]
    assert values(left, right, follower) == [0, 0, 0]
    assert fresh(user).status == "implemented"
    assert fresh(follower).chase is None


def test_what_else_they_use_has_them_judged_anew(worker: Drainer) -> None:
    left, right, guide = binary("Left"), binary("Right"), binary("Guide")
    settled(worker)
    publish_test(left, "# <<Right>>\nassert Left() == Right()", author="olga")
    code = "# <<Left>>\n# <<Guide>>\nassert Guide() or Right() != Left()"
    publish_test(right, code, author="olga")
    settled(worker)
    assert sorted(Chase.objects.get().names) == ["Left", "Right"]
    vote(Implementation.objects.get(function=guide, number=2), up="ann bob")
    settled(worker)
    assert not Chase.objects.exists()
    vote(Implementation.objects.get(function=guide, number=1), up="bob carl dora")
    settled(worker)
    assert sorted(Chase.objects.get().names) == ["Left", "Right"]


def test_what_they_change_themselves_has_nobody_judged_anew(worker: Drainer) -> None:
    """Echo follows Right, and a test of Left uses Echo: it changes by what they do."""
    left, right, echo = binary("Left"), binary("Right"), binary("Echo")
    settled(worker)
    publish_test(echo, "# <<Right>>\nassert Echo() == Right()", author="olga")
    publish_test(left, "# <<Echo>>\n# <<Right>>\nassert Left() == Right() or Echo() > 5")
    judge_work(actor=account("olga"), work=Test.objects.latest("id"), acceptable=True)
    settled(worker)
    publish_test(right, "# <<Left>>\nassert Right() != Left()", author="olga")
    settled(worker)
    assert {"Left", "Right"} <= set(Chase.objects.get().names)
    assert Election.objects.count() < 30


@pytest.fixture(scope="module")
def second_worker(django_db_setup: None) -> Iterator[Drainer]:
    with Drainer(Pool(1), "the second worker of chases") as drainer:
        yield drainer


def test_many_that_chase_each_other_at_once_end(worker: Drainer, second_worker: Drainer) -> None:
    names = ("Ann", "Bea", "Cat", "Dot")
    functions = {name: binary(name) for name in names}
    settled(worker)
    workers = (worker, second_worker)

    def live(number: int) -> None:
        if number < len(workers):
            for _ in range(4):
                workers[number].drain()
            return
        name, other = names[number - 2], (*names, names[0])[number - 1]
        sign = "!=" if number == 2 else "=="
        code = f"# <<{other}>>\nassert {name}() {sign} {other}()"
        publish_test(functions[name], code, author="olga")

    run_together(live, range(6))
    for each in workers:
        each.drain()
    settled(worker)
    assert sorted(Chase.objects.get().names) == list(names)


def test_what_ends_before_it_is_written_is_done_again(
    worker: Drainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    left, right, *_ = pair(worker)
    begin: Callable[..., Chase] = unsettled._create_chase
    calls = []

    def break_off(*given: object) -> Chase:
        chase = begin(*given)
        calls.append(chase)
        if len(calls) == 1:
            raise ConnectionError("killed")
        return chase

    monkeypatch.setattr(unsettled, "_create_chase", break_off)
    worker.drain()
    FollowUp.objects.update(due_at=timezone.now())  # it is tried again a second later
    settled(worker)
    assert len(calls) > 1
    assert Chase.objects.get() in calls[1:]
    assert values(left, right) == [0, 0]


def change(pk: int, function: int, *caused_by: int, unsettled: bool = False) -> Change:
    return Change(pk, function, None, None, caused_by, None, b"", unsettled)


def test_the_way_back_is_the_shortest_and_begins_anew_where_somebody_was_unsettled() -> None:
    history = {
        each.id: each
        for each in (
            change(1, 1),
            change(2, 2, 1),
            change(3, 3, 2),
            change(4, 1, 3),
            change(5, 3, 4, unsettled=True),
            change(6, 2, 5),
        )
    }
    assert [each.id for each in find_cycle_path([3], history, {1})] == [1, 2, 3]
    assert [each.id for each in find_cycle_path([3, 4], history, {1})] == [4]
    assert find_cycle_path([6], history, {1}) == []
    assert find_cycle_path([7], history, {1}) == []
