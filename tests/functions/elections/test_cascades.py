"""Cascades: a change travels level by level, runs what it changed, and ends with its root."""

import itertools
from collections import defaultdict
from pathlib import Path

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from functions.contests.evaluation import RECONCILE, all_pairs
from functions.contests.loader import load_contest
from functions.contests.programs import ProgramBuilder
from functions.elections import reconciler
from functions.elections.cascades import open_level
from functions.elections.reconciler import reconcile
from functions.maintenance.verification import find_differences
from functions.models import Cell, Function, Implementation, Level, Supersession
from functions.read_models.batch import batch_page
from runner.batches.submission import submit_batch
from runner.models import Attempt, Batch, Event, Execution, FollowUp, Task
from runner.pipelines.follow_ups import run_due_follow_ups
from runner.states import BatchState, State
from runner.workers.claims import claim
from runner.workers.drainer import Drainer
from tests.patience import await_that
from tests.support.batch_end import all_batches_end
from tests.support.batches import PASSED, execute, worker_process
from tests.support.threads import run_together
from tests.support.works import account, constant, define, implement, publish_test, vote

pytestmark = pytest.mark.django_db(transaction=True)


def fresh(row: Function) -> Function:
    return Function.objects.select_related("elected").get(pk=row.pk)


def importing(name: str, *targets: str) -> str:
    """Return code of a function that adds up what others return."""
    markers = "".join(f"# <<{target}>>\n" for target in targets)
    total = " + ".join(f"{target}()" for target in targets)
    return f"{markers}def {name}(*args):\n    return {total} + 1\n"


def chain(length: int) -> list[Function]:
    """Define functions of which each imports the one before."""
    functions = [define(f"F{number}") for number in range(length)]
    implement(functions[0], constant("F0", 0))
    for number, function in enumerate(functions[1:], start=1):
        implement(function, importing(function.name, f"F{number - 1}"))
    return functions


def runs_of(function: Function) -> int:
    """Count how often programs of this function were begun."""
    return Attempt.objects.filter(execution__program__subject=function.name).count()


def batches_below(root: Batch) -> dict[int, list[Batch]]:
    """Return the batches of each level of the root's cascade."""
    levels = Level.objects.filter(root=root).order_by("number", "batch")
    below: dict[int, list[Batch]] = defaultdict(list)
    for level in levels.select_related("batch"):
        below[level.number] += level.batch.children.order_by("id")
    return below


def execute_all(*, rounds: int = 100) -> None:
    """Execute what waits, in this process and without a sandbox; everything passes."""
    run_due_follow_ups()
    while rounds and (claims := claim("a worker").claims):
        for claimed in claims:
            execute(claimed, PASSED)
        run_due_follow_ups()
        rounds -= 1


def last_root() -> Batch:
    return Batch.objects.filter(parent=None).latest("id")


def topics_below(root: Batch) -> list[str]:
    return [batch.topic.name for below in batches_below(root).values() for batch in below]


def test_a_change_travels_down_a_chain_by_levels_below_one_root(worker: Drainer) -> None:
    functions = chain(5)
    worker.drain()
    implement(functions[0], constant("F0", 10))
    root = last_root()
    worker.drain()
    assert all_batches_end()
    levels = Level.objects.filter(root=root).select_related("batch__parent")
    assert {level.batch.parent for level in levels} == {root}
    # A function that is reconciled before those above it runs with them, and a level whose batch
    # ended before its functions were due has another one.
    numbers = {level.number for level in levels}
    assert numbers == set(range(1, len(numbers) + 1))
    assert sorted(topics_below(root)) == sorted(function.topic for function in functions[1:])
    assert [runs_of(function) for function in functions] == [2, 2, 2, 2, 2]
    assert list(find_differences()) == []


def test_a_cascades_root_ends_last_and_once(worker: Drainer) -> None:
    functions = chain(4)
    worker.drain()
    implement(functions[0], constant("F0", 10))
    root = last_root()
    worker.drain()
    assert all_batches_end()
    ends = Event.objects.filter(type="batch.finished", payload__batch=root.pk)
    assert ends.count() == 1
    root.refresh_from_db()
    below = Batch.objects.filter(parent=root) | Batch.objects.filter(parent__parent=root)
    assert below.count() == 3 + Level.objects.filter(root=root).count()
    assert root.finished_at is not None
    assert not below.filter(finished_at__gt=root.finished_at).exists()
    assert set(below.values_list("state", flat=True)) == {BatchState.COMPLETE}


def test_what_two_changed_ones_lead_to_is_run_once(worker: Drainer) -> None:
    base, left, right, top = (define(name) for name in ("Base", "Left", "Right", "Top"))
    implement(base, constant("Base", 1))
    implement(left, importing("Left", "Base"))
    implement(right, importing("Right", "Base"))
    implement(top, importing("Top", "Left", "Right"))
    publish_test(top, "assert Top() > 0")
    worker.drain()
    before = runs_of(top)
    implement(base, constant("Base", 2))
    root = last_root()
    worker.drain()
    assert runs_of(top) - before == 2  # does it load, and the test
    below = [batch.topic.name for each in batches_below(root).values() for batch in each]
    assert sorted(below) == sorted([left.topic, right.topic, top.topic])
    assert list(find_differences()) == []


def test_a_cascade_runs_nothing_but_what_it_changed(worker: Drainer) -> None:
    base, top = define("Base"), define("Top")
    implement(base, constant("Base", 1))
    implement(top, constant("Top", 1))
    implement(top, importing("Top", "Base"))
    publish_test(top, "assert Top()")
    publish_test(top, "# <<Base>>\nassert Top() != Base() + 9")
    worker.drain()
    before = runs_of(top)
    implement(base, constant("Base", 2))
    worker.drain()
    # Whoever imports it, alone and against both tests; the other against the one that names it.
    assert runs_of(top) - before == 4
    assert list(find_differences()) == []


def test_in_a_cascade_candidates_come_in_the_order_of_election() -> None:
    base, top = define("Base"), define("Top")
    implement(base, constant("Base", 0))
    works = [implement(top, importing("Top", "Base") + f"# {number}\n") for number in range(12)]
    execute_all()
    vote(works[3], up="nora")
    execute_all()
    implement(base, constant("Base", 1))
    execute_all(rounds=1)
    waiting = Execution.objects.filter(state=State.PENDING, program__subject="Top")
    by_key = {bytes(key): priority for key, priority in waiting.values_list("key", "priority")}
    cells = Cell.objects.filter(implementation__function=top, test=None)
    priorities = {cell.implementation_id: by_key[bytes(cell.key or b"")] for cell in cells}
    ranked = [works[3], *[work for work in reversed(works) if work != works[3]]]
    assert [priorities[work.pk] for work in ranked] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 9]


def test_a_vote_that_flips_an_election_back_runs_nothing(worker: Drainer) -> None:
    functions = chain(4)
    older = Implementation.objects.get(function=functions[0])
    implement(functions[0], constant("F0", 10))
    worker.drain()
    vote(older, up="ann")
    worker.drain()
    assert fresh(functions[0]).elected == older
    before = Attempt.objects.count()
    digest = bytes(fresh(functions[3]).closure_digest)
    vote(older, down="ann")
    worker.drain()
    assert fresh(functions[0]).elected != older
    assert bytes(fresh(functions[3]).closure_digest) != digest
    assert Attempt.objects.count() == before
    assert list(find_differences()) == []


def superseded_top(worker: Drainer) -> tuple[Function, Task]:
    """Change Base, and change it back while what that changed in Top still waits to be run."""
    base, top = define("Base"), define("Top")
    older = implement(base, constant("Base", 1))
    implement(base, constant("Base", 2))
    worker.drain()
    implement(top, importing("Top", "Base"))
    worker.drain()
    vote(older, up="ann")
    run_due_follow_ups()
    waiting = Task.objects.get(state=State.PENDING)
    meant = Cell.objects.get(implementation__function=top).key
    assert bytes(waiting.execution.key) == bytes(meant or b"")
    vote(older, down="ann")
    run_due_follow_ups()
    waiting.refresh_from_db()
    return top, waiting


def test_what_a_change_makes_pointless_is_cancelled_and_said_so(worker: Drainer) -> None:
    top, task = superseded_top(worker)
    assert (task.state, task.execution.state) == (State.CANCELLED, State.CANCELLED)
    said = Supersession.objects.get()
    assert (said.batch, said.tasks, said.cause) == (task.batch, 1, "Base changed")
    event = Event.objects.get(type="batch.superseded")
    assert event.payload == {
        "batch": task.batch_id,
        "tasks": 1,
        "cause": "Base changed",
        "successor": None,
    }
    ended = Event.objects.get(type="task.finished", payload__task=task.pk)
    assert ended.payload["message"] == "superseded: Base changed"
    page = batch_page(task.batch_id, account("olga"))
    assert page is not None
    assert page.supersessions == (said,)
    assert all_batches_end()
    task.batch.refresh_from_db()
    assert task.batch.state == BatchState.CANCELLED
    before = Attempt.objects.count()
    worker.drain()
    assert Attempt.objects.count() == before
    assert not fresh(top).judging
    assert list(find_differences()) == []


def test_what_is_superseded_goes_on_for_those_who_still_want_it(worker: Drainer) -> None:
    _, task = superseded_top(worker)
    other = Execution.objects.get(pk=task.execution_id)
    assert other.state == State.CANCELLED
    vote(Implementation.objects.get(function__name="Base", number=1), up="ann")
    worker.drain()
    other.refresh_from_db()
    assert other.state == State.SUCCEEDED
    assert list(find_differences()) == []


def test_a_publication_that_a_change_overtakes_says_what_became_of_it(worker: Drainer) -> None:
    base, top = define("Base"), define("Top")
    older = implement(base, constant("Base", 1))
    implement(base, constant("Base", 2))
    worker.drain()
    implement(top, importing("Top", "Base"))
    published = last_root()
    vote(older, up="ann")
    run_due_follow_ups()
    said = Supersession.objects.get()
    assert said.batch == published
    assert said.successor is not None
    assert said.successor.topic.name == top.topic
    worker.drain()
    assert all_batches_end()
    assert runs_of(top) == 1
    assert fresh(top).status == "implemented"
    assert list(find_differences()) == []


def queries_of_a_change(width: int) -> int:
    """Count those of what changing a function costs that so many import, from vote to the end."""
    base = define(f"Base{width}")
    older = implement(base, constant(base.name, 1))
    for number in range(width):
        top = define(f"Top{width}N{number}")
        implement(top, importing(top.name, base.name))
        publish_test(top, f"assert {top.name}()")
    execute_all()
    implement(base, constant(base.name, 2))
    execute_all()
    vote(older, up="ann")
    with CaptureQueriesContext(connection) as queries:
        run_due_follow_ups()
    vote(older, down="ann")
    with CaptureQueriesContext(connection) as back:
        run_due_follow_ups()
    assert not any(FollowUp.objects.values_list("target"))
    return len(queries) + len(back)


def test_a_change_costs_as_many_queries_however_many_import_it() -> None:
    assert queries_of_a_change(8) <= queries_of_a_change(2) + 12


def queries_below(length: int) -> int:
    """Count those of what one more function costs below so many that wait for it."""
    names = [f"Link{length}N{number}" for number in range(length + 2)]
    *waiting, last = itertools.pairwise(names)
    for name, below in waiting:
        implement(define(name), importing(name, below))
        run_due_follow_ups()
    with CaptureQueriesContext(connection) as queries:
        implement(define(last[0]), importing(*last))
        run_due_follow_ups()
    assert not FollowUp.objects.exists()
    assert list(find_differences()) == []
    return len(queries)


def test_what_waits_is_looked_at_by_the_next_alone_when_something_comes_below() -> None:
    # What is known is asked for in one query, what has changed in two.
    assert queries_below(7) < 1.2 * queries_below(3)


def test_functions_of_many_squares_are_settled_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reconciler, "MAX_CELLS", 2)
    functions = [define(f"F{number}") for number in range(3)]
    for function in functions:
        implement(function, constant(function.name, 1))
    rows = {str(function.pk): list[FollowUp]() for function in functions}
    with transaction.atomic():
        assert reconcile(rows) == [str(function.pk) for function in functions[:2]]
    monkeypatch.setattr(reconciler, "MAX_CELLS", 0)
    execute_all()
    assert {fresh(function).status for function in functions} == {"implemented"}


def test_settling_again_writes_nothing(worker: Drainer) -> None:
    functions = chain(3)
    publish_test(functions[1], "assert F1() == 1")
    worker.drain()
    with transaction.atomic(), CaptureQueriesContext(connection) as queries:
        reconcile({str(functions[1].pk): []})
    assert not [
        query["sql"] for query in queries if query["sql"].startswith(("UPDATE", "INSERT", "DELETE"))
    ]


def test_keys_are_those_of_the_programs_that_are_built(worker: Drainer) -> None:
    functions = chain(3)
    publish_test(functions[2], "# <<F0>>\nassert F2() == F0() + 2")
    publish_test(functions[2], "assert F2()")
    implement(functions[2], constant("F2", 2))
    worker.drain()
    contest = load_contest(fresh(functions[2]))
    builder = ProgramBuilder(contest)
    keys = builder.keys(all_pairs(contest))
    programs = builder.programs(list(keys))
    assert {pair: program.key for pair, program in programs.items()} == keys
    assert len(keys) == 6


def test_a_level_is_opened_once_while_it_is_open() -> None:
    function = define("One")
    with transaction.atomic():
        root = submit_batch(
            topic=function.topic, programs=[], owner=account("olga"), cause="", loaded=False
        )
        opened = open_level(function, root, "")
        assert open_level(function, root, "") == opened
        below = submit_batch(topic=function.topic, programs=[], cause="", parent=opened)
        deeper = open_level(function, below, "")
        level = Level.objects.get(batch=deeper)
        assert (level.root, level.number) == (root, 2)
    opened.refresh_from_db()
    assert opened.state == BatchState.COMPLETE
    with transaction.atomic():
        assert open_level(function, root, "") != opened


def test_changes_at_both_ends_of_a_chain_end_as_the_rules_say(worker: Drainer) -> None:
    functions = chain(5)
    worker.drain()

    def change(number: int) -> None:
        if number == 2:
            worker.drain()
            return
        for value in range(3):
            end = functions[0] if number == 0 else functions[-1]
            extra = f"    # {value}\n"
            code = constant("F0", value + 10) if number == 0 else importing("F4", "F3") + extra
            vote(implement(end, code), up=f"ann{number}{value}")

    run_together(change, range(3))
    worker.drain()
    assert all_batches_end()
    assert list(find_differences()) == []
    assert not any(fresh(function).judging for function in functions)


def test_a_cascade_goes_on_when_its_worker_is_killed(tmp_path: Path) -> None:
    functions = chain(6)
    slow = "import time\n" + constant("F0", 10) + "time.sleep(0.2)\n"
    with worker_process(tmp_path, SOCIALCODE_LEASE_SECONDS="3") as killed:
        await_that(lambda: fresh(functions[-1]).status == "implemented", what="all are judged")
        implement(functions[0], slow)
        root = last_root()
        levels = Level.objects.filter(root=root)
        await_that(levels.exists, what="the cascade is on its way")
        killed.kill()
        killed.wait()
    with worker_process(tmp_path, SOCIALCODE_LEASE_SECONDS="3"):
        await_that(
            lambda: Batch.objects.get(pk=root.pk).state == BatchState.COMPLETE,
            what="the cascade has ended",
        )
    assert Event.objects.filter(type="batch.finished", payload__batch=root.pk).count() == 1
    assert sorted(topics_below(root)) == sorted(function.topic for function in functions[1:])
    assert list(find_differences()) == []


def settle_alone(function: Function) -> None:
    """Settle this function, while all others wait for their turn."""
    with transaction.atomic():
        rows = FollowUp.objects.filter(name=RECONCILE, target=str(function.pk)).order_by("id")
        taken = list(rows.select_related("batch"))
        reconcile({str(function.pk): taken})
        FollowUp.objects.filter(pk__in=[row.pk for row in taken]).delete()


def test_what_was_seen_of_a_change_that_is_taken_back_at_once_is_seen_to_be(
    worker: Drainer,
) -> None:
    first, between, last = chain(3)
    rival = implement(first, constant("F0", 7))
    worker.drain()
    # All results are there, so that nothing that is run brings anybody to look again.
    vote(rival, up="ann")
    worker.drain()
    vote(rival, down="ann")
    worker.drain()
    vote(rival, up="ann")
    settle_alone(first)
    assert fresh(first).elected == rival
    settle_alone(last)
    vote(rival, down="ann")
    settle_alone(first)
    assert fresh(first).elected != rival
    settle_alone(between)
    worker.drain()
    assert [*find_differences()] == []
