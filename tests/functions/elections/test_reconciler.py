"""Elections under concurrency, and when something is still to come or never comes."""

from collections.abc import Sequence
from typing import Any

import pytest
from django.db import OperationalError, transaction

from functions.contests.evaluation import RECORDER, record_verdicts
from functions.contests.loader import load_contest
from functions.elections.reconciler import reconcile
from functions.elections.refresh import refresh_cells
from functions.graph.algorithms import find_components
from functions.graph.nodes import load_nodes
from functions.maintenance.verification import find_differences
from functions.models import Cell, Function
from runner.models import Batch, Execution, FollowUp
from runner.pipelines.follow_ups import run_due_follow_ups
from runner.registry import FinishedTask
from runner.states import State
from runner.workers.drainer import Drainer
from tests.support.batch_end import all_batches_end
from tests.support.threads import run_together
from tests.support.works import (
    constant,
    define,
    implement,
    publish_test,
    vote,
)

pytestmark = pytest.mark.django_db(transaction=True)


def fresh(row: Function) -> Function:
    return Function.objects.select_related("elected").get(pk=row.pk)


def elected_circles() -> list[list[int]]:
    """List the circles that elected implementations make."""
    nodes = load_nodes(set(Function.objects.values_list("id", flat=True)))
    edges = {
        node.id: [link.target for link in node.links if link.target] for node in nodes.values()
    }
    return [circle for circle in find_components(edges, edges.__getitem__) if len(circle) > 1]


def test_circles_closed_by_many_at_once_are_refused(worker: Drainer) -> None:
    functions = [define(f"F{n}") for n in range(4)]
    for function in functions:
        implement(function, constant(function.name, 1))
    worker.drain()

    def close(number: int) -> None:
        target = functions[(number + 1) % len(functions)]
        code = f"# <<{target.name}>>\n" + constant(functions[number].name, 1)
        work = implement(functions[number], code)
        vote(work, up=f"ann{number} bob{number}")

    run_together(close, range(len(functions)))
    worker.drain()
    assert elected_circles() == []
    assert list(find_differences()) == []
    circular = [
        work
        for function in functions
        for work in function.implementations.filter(standing="circular")
    ]
    assert len(circular) == 1


def nearly_circular(worker: Drainer) -> tuple[Function, Function]:
    """Define two functions whose second implementations, voted down, call each other."""
    one, other = define("One"), define("Other")
    for function, target in ((one, other.name), (other, one.name)):
        implement(function, constant(function.name, 1))
        worker.drain()
        closing = implement(function, f"# <<{target}>>\n" + constant(function.name, 1))
        worker.drain()
        vote(closing, down="ann bob")
        worker.drain()
    return one, other


def test_elections_held_at_once_close_no_circle(worker: Drainer) -> None:
    one, other = nearly_circular(worker)
    for function in (one, other):
        vote(function.implementations.get(number=2), up="ann bob carl dora")

    def drain(_: int) -> None:
        worker.drain()

    run_together(drain, range(3))
    worker.drain()
    assert elected_circles() == []
    assert list(find_differences()) == []


def test_elections_held_in_one_call_close_no_circle(worker: Drainer) -> None:
    one, other = nearly_circular(worker)
    for function in (one, other):
        vote(function.implementations.get(number=2), up="ann bob")
    with transaction.atomic():
        settled = reconcile({str(one.pk): [], str(other.pk): []})
    assert settled == [str(one.pk)]
    worker.drain()
    assert elected_circles() == []
    assert list(find_differences()) == []


def test_work_published_in_many_places_at_once_ends_as_the_rules_say(worker: Drainer) -> None:
    base, middle, top = define("Base"), define("Middle"), define("Top")

    def write(number: int) -> None:
        if number == 4:
            worker.drain()
            return
        implement(base, f"def Base():\n    return {number}\n")
        implement(middle, f"# <<Base>>\ndef Middle():\n    return Base() + {number}\n")
        implement(top, f"# <<Middle>>\ndef Top():\n    return Middle() * {number}\n")
        publish_test(middle, f"assert Middle() != {number * 7}")

    run_together(write, range(5))
    worker.drain()
    assert list(find_differences()) == []
    assert all_batches_end()
    assert {fresh(f).status for f in (base, middle, top)} == {"implemented"}
    assert not any(fresh(f).judging for f in (base, middle, top))


def test_an_election_waits_for_what_its_choice_imports(worker: Drainer) -> None:
    base, middle, top = define("Base"), define("Middle"), define("Top")
    implement(base, constant("Base", 1))
    implement(middle, "# <<Base>>\n" + constant("Middle", 1))
    implement(top, "# <<Middle>>\n" + constant("Top", 1))
    worker.drain()
    implement(base, constant("Base", 2))
    newer = implement(top, "# <<Middle>>\n" + constant("Top", 2))
    settle_now(top)
    assert fresh(top).judging
    assert fresh(top).elected != newer
    worker.drain()
    assert fresh(top).elected == newer
    assert not fresh(top).judging


def test_who_imports_what_begins_to_be_judged_waits_for_it_once_told_of_something(
    worker: Drainer,
) -> None:
    base, middle, top = define("Base"), define("Middle"), define("Top")
    implement(base, constant("Base", 1))
    implement(middle, "# <<Base>>\n" + constant("Middle", 1))
    implement(top, "# <<Middle>>\n" + constant("Top", 1))
    worker.drain()
    publish_test(base, "assert Base() == 1")
    run_due_follow_ups()
    assert [fresh(f).judging for f in (base, middle, top)] == [True, False, False]
    assert list(find_differences()) == []
    settle_now(top)
    assert [fresh(f).judging for f in (base, middle, top)] == [True, False, True]
    assert list(find_differences()) == []
    worker.drain()
    assert [fresh(f).judging for f in (base, middle, top)] == [False] * 3
    Function.objects.filter(pk=middle.pk).update(judging=True)
    assert list(find_differences()) == ["Middle: judging is True, expected False"]


def settle_now(function: Function) -> None:
    """Hold the function's election before anything is executed."""
    settle_rows(function, list(FollowUp.objects.filter(target=str(function.pk))))


def settle_rows(function: Function, rows: Sequence[FollowUp]) -> None:
    with transaction.atomic():
        reconcile({str(function.pk): rows})


def tell(finished: Sequence[FinishedTask]) -> None:
    with transaction.atomic():
        record_verdicts(finished)


def test_what_our_machinery_gave_up_on_is_unjudged_and_unseats_nobody(worker: Drainer) -> None:
    add = define("Add")
    only = implement(add, constant("Add", 1))
    worker.drain()
    publish_test(add, "assert Add() == 1")
    cell = Cell.objects.get(implementation=only, test__isnull=False)
    batch = Batch.objects.latest("id")
    ignored = FinishedTask(
        task_id=0,
        batch_id=batch.pk,
        key=bytes(cell.key or b""),
        state=State.IGNORED,
        verdict=None,
        cpu_us=None,
        message="",
        line=None,
    )
    tell([ignored])
    settle_now(add)
    only.refresh_from_db()
    reason = "no result of T1: cancelled, or given up by our machinery"
    assert (only.standing, only.standing_reason) == ("unjudged", reason)
    assert (fresh(add).elected, fresh(add).judging) == (only, False)
    worker.drain()
    only.refresh_from_db()
    assert only.standing == "eligible"


def test_a_verdict_told_twice_or_too_late_changes_nothing(worker: Drainer) -> None:
    add = define("Add")
    implement(add, constant("Add", 1))
    worker.drain()
    cell = Cell.objects.get()
    batch = Batch.objects.latest("id")
    told = FinishedTask(
        task_id=0,
        batch_id=batch.pk,
        key=bytes(cell.key or b""),
        state=State.SUCCEEDED,
        verdict="passed",
        cpu_us=1,
        message="",
        line=None,
    )
    superseded = told._replace(key=b"\1" * 32, verdict="failed")
    tell([told, superseded])
    assert not FollowUp.objects.exists()
    assert Cell.objects.get().verdict == "passed"


def test_an_election_costs_a_bounded_number_of_queries(
    worker: Drainer, django_assert_max_num_queries: Any
) -> None:
    add = define("Add")
    for number in range(5):
        implement(add, constant("Add", number))
        publish_test(add, f"assert Add() != {number + 50}")
    worker.drain()
    with django_assert_max_num_queries(25):
        settle_rows(fresh(add), [])


def test_a_contest_of_many_is_loaded_in_a_few_queries(
    worker: Drainer, django_assert_max_num_queries: Any
) -> None:
    previous = ""
    for number in range(6):
        function = define(f"F{number}")
        implement(function, f"# {previous}\n" + constant(function.name, 1))
        previous = f"<<{function.name}>>"
    worker.drain()
    with django_assert_max_num_queries(9):
        contest = load_contest(fresh(function))
    assert len(contest.nodes) == 5


def test_an_election_does_not_ask_again_for_what_is_on_its_way() -> None:
    add = define("Add")
    implement(add, constant("Add", 1))
    assert set(Batch.objects.values_list("recorder", flat=True)) == {RECORDER}
    settle_now(add)
    assert Batch.objects.count() == 1
    assert Execution.objects.count() == 1


def test_a_verdict_cannot_fall_between_looking_for_it_and_keying_its_square() -> None:
    function = define("One")
    implement(function, constant("One", 1))
    Cell.objects.all().delete()

    def record_meanwhile(_: int) -> str:
        executions = Execution.objects.select_for_update(no_key=True, nowait=True)
        try:
            with transaction.atomic():
                return f"took {len(executions)}"
        except OperationalError:
            return "waits"

    with transaction.atomic():
        assert not refresh_cells([load_contest(function)], {}, {function.pk})[0].obsolete
        assert run_together(record_meanwhile, [1]) == ["waits"]
    assert run_together(record_meanwhile, [1]) == ["took 1"]


def test_a_result_that_is_known_stands_in_the_cells_of_what_is_published(worker: Drainer) -> None:
    function = define("One")
    implement(function, constant("One", 1))
    publish_test(function, "assert One() == 2", author="olga")
    worker.drain()
    executions = Execution.objects.count()
    again = publish_test(function, "assert One() == 2", author="tess")
    [cell] = Cell.objects.filter(test=again)
    assert (cell.verdict, cell.result_key) == ("failed", cell.key)
    assert Execution.objects.count() == executions
    run_due_follow_ups()
    assert not list(find_differences())


def test_results_that_come_while_works_are_published_reach_all_cells(worker: Drainer) -> None:
    function = define("One")
    implement(function, constant("One", 1))
    worker.drain()

    def publish_or_run(number: int) -> None:
        for wanted in range(6):
            publish_test(function, f"assert One() == {wanted}", author=f"tess{number}")
            if not number:
                worker.drain()

    run_together(publish_or_run, range(3))
    worker.drain()
    cells = Cell.objects.exclude(test=None)
    assert sorted(cells.values_list("verdict", flat=True)) == ["failed"] * 15 + ["passed"] * 3
    assert not list(find_differences())
