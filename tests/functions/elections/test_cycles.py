"""Circles: functions that lead to each other are elected together, stand and fall together."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from functions.authoring import delete_function, withdraw
from functions.calls.pins import current_versions, pinned_versions
from functions.contests.loader import load_contests
from functions.contests.programs import ProgramBuilder
from functions.maintenance.verification import find_differences
from functions.models import Cell, Election, Function, Implementation, Supersession
from functions.moderation.acceptability import judge_work
from functions.read_models.explanation import why_page
from runner.models import Attempt, Execution, FollowUp
from runner.pipelines.follow_ups import run_due_follow_ups
from runner.sandbox import Pool
from runner.workers.drainer import Drainer
from tests.support.batch_end import all_batches_end
from tests.support.threads import run_together
from tests.support.works import account, constant, define, implement, publish_test, vote

pytestmark = pytest.mark.django_db(transaction=True)

EVEN = "# <<Odd>>\ndef Even(n):\n    return n == 0 or Odd(n - 1)\n"
ODD = "# <<Even>>\ndef Odd(n):\n    return n != 0 and Even(n - 1)\n"


def fresh(row: Function) -> Function:
    return Function.objects.select_related("elected").get(pk=row.pk)


def standing(work: Implementation) -> tuple[str, str]:
    work.refresh_from_db()
    return work.standing, work.standing_reason


def settled(worker: Drainer) -> None:
    worker.drain()
    assert list(find_differences()) == []
    assert not FollowUp.objects.exists()
    assert all_batches_end()


def make_pair(worker: Drainer) -> tuple[Function, Function, Implementation, Implementation]:
    """Have Even and Odd elected as one circle, each with a test."""
    even, odd = define("Even"), define("Odd")
    publish_test(even, "assert Even(4) and not Even(3)")
    publish_test(odd, "assert Odd(3) and not Odd(4)")
    works = implement(even, EVEN), implement(odd, ODD)
    settled(worker)
    return even, odd, *works


def ring(names: str, **others: str) -> dict[str, Function]:
    """Define functions of which each names the next, the last the first, and these others."""
    functions = {name: define(name) for name in names}
    for name, target in zip(names, names[1:] + names[:1], strict=True):
        markers = "".join(f"# <<{each}>>\n" for each in target + others.get(name, ""))
        implement(functions[name], markers + constant(name, 1))
    return functions


def circles(functions: dict[str, Function]) -> list[str]:
    return ["".join(fresh(function).circle) for function in functions.values()]


def test_functions_that_lead_to_each_other_are_elected_together(worker: Drainer) -> None:
    even, odd, first, second = make_pair(worker)
    for function, work in ((even, first), (odd, second)):
        row = fresh(function)
        assert (row.elected, row.status, row.circle) == (work, "implemented", ["Even", "Odd"])
        assert standing(work) == ("eligible", "")
    elections = Election.objects.order_by("id")
    assert [(row.elected, row.circle) for row in elections] == [
        (first, ["Even", "Odd"]),
        (second, ["Even", "Odd"]),
    ]
    assert "implementation #1 published" in elections[0].cause
    assert "together with Odd, as one circle" in why_page(even).ruling.sentence
    # Whoever uses one of them carries both, and what both mean is one program from either side.
    parity = define("Parity")
    implement(parity, "# <<Even>>\ndef Parity(n):\n    return 'even' if Even(n) else 'odd'\n")
    publish_test(parity, "assert Parity(7) == 'odd'")
    settled(worker)
    assert fresh(parity).status == "implemented"
    assert Attempt.objects.count() == Execution.objects.count()
    # So do calls, with the locks that they answer, and what is taken home.
    versions = current_versions("Parity")
    assert [version.name for version in versions.closure] == ["Even", "Odd", "Parity"]
    assert pinned_versions("Parity", versions.lock).rows == versions.rows
    taken: dict[str, Any] = {}
    exec(Client().get("/functions/Parity/export/Parity.py").content, taken)  # noqa: S102 - ours
    assert [taken["Parity"](n) for n in (6, 7)] == ["even", "odd"]


def test_a_circle_stands_and_falls_together_and_comes_back(worker: Drainer) -> None:
    even, odd, first, second = make_pair(worker)
    user = define("User")
    implement(user, "# <<Odd>>\n" + constant("User", 1))
    settled(worker)

    def elected() -> list[Implementation | None]:
        settled(worker)
        return [fresh(even).elected, fresh(odd).elected]

    wrong = publish_test(odd, "assert Odd(2)")
    assert elected() == [None, None]
    assert standing(first) == ("failing", "does not pass Odd T2")
    assert standing(second) == ("failing", "does not pass T2")
    assert (fresh(user).status, fresh(user).blocked_by) == ("blocked", "Odd")
    vote(wrong, down="ann")
    assert elected() == [first, second]
    assert fresh(user).status == "implemented"
    judge_work(actor=even.owner, work=first, acceptable=False, reason="no")
    assert elected() == [None, None]
    judge_work(actor=even.owner, work=first, acceptable=True)
    assert elected() == [first, second]
    delete_function(actor=account("olga"), function=odd)
    settled(worker)
    assert (fresh(even).elected, fresh(even).circle) == (None, [])
    odd = define("Odd")
    again = implement(odd, ODD.replace("!=", ">"))
    assert elected() == [first, again]
    withdraw(actor=again.author, work=again)
    assert elected() == [None, None]


def test_one_takes_the_place_of_another_if_the_whole_passes(worker: Drainer) -> None:
    even, odd, first, second = make_pair(worker)
    narrow = "# <<Odd>>\ndef Even(n):\n    return n in (0, 4) or n == 1 and Odd(0)\n"
    breaking = implement(even, narrow)
    settled(worker)
    assert standing(breaking) == ("failing", "does not pass Odd T1")
    assert fresh(even).elected == first
    better = implement(even, EVEN.replace("or", "or n > 0 and"))
    settled(worker)
    assert (fresh(even).elected, fresh(odd).elected) == (better, second)
    assert fresh(even).circle == fresh(odd).circle == ["Even", "Odd"]
    assert Election.objects.filter(function=odd).count() == 1
    vote(first, up="ann")
    settled(worker)
    assert fresh(even).elected == first
    both = Cell.objects.filter(implementation=better, test__function=odd)
    assert [cell.verdict for cell in both] == ["passed"]
    # Programs with many tests of the others' take as many queries as with one, or fewer.
    for number in (5, 7):
        publish_test(odd, f"assert Odd({number})")
    [[contest, other]] = load_contests([[fresh(even), fresh(odd)]])
    pairs = [(better.pk, test.pk) for test in other.tests]
    costs = []
    for wanted in (pairs[:1], pairs):
        with CaptureQueriesContext(connection) as queries:
            assert len(ProgramBuilder(contest).programs(wanted)) == len(wanted)
        costs.append(len(queries))
    assert (len(pairs), max(costs)) == (3, 1)


def test_who_is_elected_alone_leaves_the_circle_and_the_others_stay(worker: Drainer) -> None:
    even, odd, _, second = make_pair(worker)
    plain = implement(even, "def Even(n):\n    return n % 2 == 0\n")
    settled(worker)
    assert (fresh(even).elected, fresh(even).circle) == (plain, [])
    assert (fresh(odd).elected, fresh(odd).circle) == (second, [])
    assert Election.objects.filter(function=odd).count() == 1

    three = ring("ABC", C="B")
    settled(worker)
    assert circles(three) == ["ABC"] * 3
    implement(three["A"], constant("A", 2))
    settled(worker)
    assert circles(three) == ["", "BC", "BC"]
    assert {fresh(function).status for function in three.values()} == {"implemented"}


def test_who_needs_something_else_hinders_no_circle(worker: Drainer) -> None:
    """A stranger's newer candidates, one needing what is missing, one what is not implemented."""
    functions = {name: define(name) for name in "ABC"}
    waiting = define("E")
    own = implement(functions["A"], "# <<B>>\n" + constant("A", 1))
    lonely = implement(functions["A"], "# <<B>>\n# <<D>>\n" + constant("A", 3), author="eve")
    best = implement(functions["A"], "# <<B>>\n# <<E>>\n" + constant("A", 4), author="eve")
    implement(functions["B"], "# <<C>>\n" + constant("B", 1))
    settled(worker)
    assert fresh(functions["A"]).proposed == best  # no circle can be made of any yet
    hindering = "# <<A>>\n# <<E>>\n" + constant("C", 4)
    implement(functions["C"], "# <<A>>\n" + constant("C", 1))
    implement(functions["C"], hindering, author="eve")
    settled(worker)
    assert circles(functions) == ["ABC"] * 3
    assert fresh(functions["A"]).elected == own
    assert standing(best) == ("blocked", "blocked: E is not implemented")
    assert standing(lonely)[0] == "blocked"
    # Once it is there, the newer ones are better, and take their places.
    implement(waiting, constant("E", 1))
    settled(worker)
    assert fresh(functions["A"]).elected == best
    assert circles(functions) == ["ABC"] * 3


def test_what_waits_for_another_circle_is_tried_after_it(worker: Drainer) -> None:
    """The best candidate of A needs F and G, which are elected together without it."""
    functions = {name: define(name) for name in "ABFG"}
    for name, needed in (("A", "B"), ("A", "BF"), ("B", "A"), ("F", "G"), ("G", "F")):
        markers = "".join(f"# <<{each}>>\n" for each in needed)
        implement(functions[name], markers + constant(name, len(needed)))
    settled(worker)
    assert circles(functions) == ["AB", "AB", "FG", "FG"]
    current = Implementation.objects.filter(
        pk__in=[fresh(each).elected_id for each in functions.values()]
    )
    assert dict(current.values_list("function__name", "number")) == {"A": 2, "B": 1, "F": 1, "G": 1}


def test_who_fails_in_a_circle_gives_way_to_the_next(worker: Drainer) -> None:
    even, odd = define("Even"), define("Odd")
    publish_test(even, "assert Even(4) and not Even(3)")
    first, second = implement(even, EVEN), implement(odd, ODD + "# its first\n")
    vote(second, down="ann")
    # Three that are ahead of these, and pass no test together with any other.
    pairs = [("Even", even, "Odd"), ("Odd", odd, "Even")] * 2
    for number, (name, function, target) in enumerate(pairs):
        code = f"# <<{target}>>\ndef {name}(n):\n    return n and {target}(0)\n# {number}\n"
        wrong = implement(function, code, author="eve")
    settled(worker)
    assert [fresh(even).elected, fresh(odd).elected] == [first, second]
    assert circles({"Even": even, "Odd": odd}) == ["EvenOdd"] * 2
    assert fresh(even).gave_way is None
    # Who gave way is a candidate as others are, and fails.
    assert standing(wrong) == ("failing", "does not pass Even T1")


def test_who_gave_way_is_tried_again_when_something_has_changed(worker: Drainer) -> None:
    even, odd = define("Even"), define("Odd")
    wrong = publish_test(even, "assert Even(3)")
    implement(even, EVEN.replace("0", "0.0"))
    first, second = implement(even, EVEN), implement(odd, ODD)
    settled(worker)
    assert fresh(even).elected is fresh(odd).elected is None
    assert (fresh(even).gave_way or {})["works"] == [first.pk]
    assert fresh(even).proposed != first
    vote(wrong, down="ann")
    settled(worker)
    assert [fresh(even).elected, fresh(odd).elected] == [first, second]


def test_in_a_circle_one_does_not_load_and_the_others_fail(worker: Drainer) -> None:
    even, odd = define("Even"), define("Odd")
    publish_test(even, "assert Even(4)")
    whole, forbidden = implement(even, EVEN), implement(odd, "import socket\n" + ODD)
    settled(worker)
    assert standing(forbidden)[0] == "not_loading"
    assert standing(whole) == ("failing", f"Odd does not load: {standing(forbidden)[1]}")
    # Whose module it is doesn't depend on how deep in the others it ends.
    withdraw(actor=forbidden.author, work=forbidden)
    hasty = implement(odd, ODD + "Even(1)\n")
    settled(worker)
    assert [standing(work)[0] for work in (hasty, whole)] == ["not_loading", "failing"]


def test_a_change_of_what_is_tried_takes_the_place_of_its_runs(worker: Drainer) -> None:
    even, odd = define("Even"), define("Odd")
    test = publish_test(odd, "assert Odd(3) and not Odd(4)")
    implement(even, EVEN.replace("n == 0", "n == 1"))
    implement(odd, ODD)
    run_due_follow_ups()
    better = implement(even, EVEN)
    run_due_follow_ups()
    assert Supersession.objects.exists()
    settled(worker)
    assert (fresh(even).elected, fresh(odd).circle) == (better, ["Even", "Odd"])
    assert Cell.objects.get(implementation=fresh(odd).elected, test=test).verdict == "passed"


@pytest.fixture(scope="module")
def second_worker(django_db_setup: None) -> Iterator[Drainer]:
    with Drainer(Pool(1), "the second worker of circles") as drainer:
        yield drainer


def test_circles_are_elected_by_many_at_once_as_by_one(
    worker: Drainer, second_worker: Drainer
) -> None:
    names = "ABCD"
    functions = {name: define(name) for name in names}
    workers = (worker, second_worker)

    def live(number: int) -> None:
        if number < len(workers):
            for _ in range(4):
                workers[number].drain()
            return
        name, target = names[number - 2], (names * 2)[number - 1]
        implement(functions[name], f"# <<{target}>>\n" + constant(name, number))
        publish_test(functions[name], f"assert {name}() != 7")
        implement(functions[name], f"# <<{target}>>\n" + constant(name, number + 10))

    run_together(live, range(6))
    for each in workers:
        each.drain()
    settled(worker)
    assert circles(functions) == [names] * 4
