"""A parent is kept for the next map: it serves on, does nothing meanwhile, and not for long."""

from __future__ import annotations

import itertools
import os
import signal
import threading
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from runner.sandbox import (
    Cancelled,
    Limits,
    LogLine,
    Module,
    Outcome,
    Pool,
    Program,
    Verdict,
    broods,
)
from runner.sandbox.brood import Brood
from runner.sandbox.handles import Child
from tests.patience import PATIENCE_SECONDS, await_that
from tests.sandbox.test_broods import LIMITS, MUCH, essence, program_of
from tests.sandbox.test_faults import BURN, state_of
from tests.sandbox.test_pool import descendants, is_alive, open_descriptors, wait_until

SHARED = f"{BURN}\nstate = []\ndef F(x=0):\n    state.append(x)\n    return len(state)\n"


@pytest.fixture
def own_pool() -> Iterator[Pool]:
    with Pool() as made:
        yield made


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Child]:
    """The parents that were asked to load something."""
    parents: list[Child] = []
    begin = Brood.__init__

    def noting(brood: Brood, program: Program, parent: Child, *others: object) -> None:
        parents.append(parent)
        begin(brood, program, parent, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(Brood, "__init__", noting)
    return parents


_numbers = itertools.count()


def some(count: int, shared: str = SHARED, limits: Limits = LIMITS) -> list[Program]:
    """Programs that no pool has seen, as those that come for the second time run alone."""
    return [
        program_of(f"log({next(_numbers)})\nassert F() == 1", shared, limits) for _ in range(count)
    ]


def run_all(pool: Pool, programs: Sequence[Program]) -> None:
    for _, outcome in pool.map(enumerate(programs)):
        assert isinstance(outcome, Outcome)
        assert outcome.verdict is Verdict.PASSED, outcome.message


def parent_pid(pool: Pool) -> int:
    brood = pool._broods._present
    assert brood is not None
    pid = brood._parent.pid
    assert pid is not None
    return pid


def spare_of(pool: Pool) -> Child | None:
    return pool._nursery._spare


def test_programs_wait_for_their_parent_where_it_takes_their_place(
    own_pool: Pool, born: list[Program], asked: list[Child]
) -> None:
    programs = some(6)
    run_all(own_pool, programs)
    assert born == programs[1:]
    assert len(asked) == 1


@pytest.mark.usefixtures("patient")
def test_much_source_is_loaded_before_the_first_program(
    own_pool: Pool, born: list[Program], asked: list[Child]
) -> None:
    programs = some(4, SHARED + MUCH)
    run_all(own_pool, programs)
    assert born == programs
    assert len(asked) == 1


@pytest.mark.usefixtures("patient")
def test_tests_that_are_known_are_born_for_what_is_new(own_pool: Pool, born: list[Program]) -> None:
    programs = some(4, SHARED + MUCH)
    # First they are new, then what isn't kept of them is, one by one.
    for version in range(4):
        born.clear()
        new = [
            replace(each, modules=(Module("F", f"{SHARED}{MUCH}v = {version}"), each.modules[-1]))
            for each in programs
        ]
        run_all(own_pool, new)
    assert born == new


@pytest.mark.usefixtures("patient")
def test_what_is_found_to_load_quickly_needs_no_parent(
    own_pool: Pool, born: list[Program], asked: list[Child]
) -> None:
    quick = "def F():\n    return 1\n" + MUCH
    run_all(own_pool, some(4, quick))
    run_all(own_pool, some(4, quick))
    assert not born
    assert len(asked) == 1


def test_what_took_long_by_chance_once_is_looked_at_again(
    own_pool: Pool, born: list[Program], asked: list[Child], monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = "def F():\n    return 1\n"
    with monkeypatch.context() as busy:
        busy.setattr(broods, "_COSTLY_MICROSECONDS", 0)
        run_all(own_pool, some(1, quick))
    monkeypatch.setattr(broods, "_COSTLY_MICROSECONDS", 10**6)
    run_all(own_pool, some(4, quick))
    run_all(own_pool, some(4, quick))
    assert not born
    assert len(asked) == 1


def test_what_a_parent_tries_for_too_long_is_learned_from_a_program(
    own_pool: Pool, born: list[Program], asked: list[Child]
) -> None:
    slow = f"{SHARED}{MUCH}import time\ntime.sleep(0.6)\n"
    programs = some(4, slow)
    run_all(own_pool, programs)
    assert len(asked) == 2
    assert born == programs[1:]
    wait_until(lambda: asked[0].process is None, "it is kept")


@pytest.mark.usefixtures("patient")
def test_a_parent_waits_where_one_was_needed(own_pool: Pool, asked: list[Child]) -> None:
    run_all(own_pool, some(1, SHARED + MUCH))
    assert spare_of(own_pool) is None
    run_all(own_pool, some(2, SHARED + MUCH))
    spare = spare_of(own_pool)
    assert spare is not None
    run_all(own_pool, some(2, f"{SHARED}{MUCH}other = 1"))
    assert asked[1] is spare
    assert spare_of(own_pool) is not spare


@pytest.mark.usefixtures("patient")
def test_a_waiting_parent_that_has_ended_is_replaced(
    own_pool: Pool, born: list[Program], asked: list[Child]
) -> None:
    run_all(own_pool, some(2, SHARED + MUCH))
    spare = spare_of(own_pool)
    assert spare is not None

    def is_known() -> bool:
        own_pool._nursery.catch_up()
        return spare.process is not None

    wait_until(is_known, "it isn't there")
    spare.kill()
    wait_until(lambda: not is_known(), "nobody hears of it")
    born.clear()
    programs = some(3, f"{SHARED}{MUCH}other = 1")
    run_all(own_pool, programs)
    assert born == programs
    assert asked[1] is not spare


def test_no_parent_is_asked_for_where_one_program_is_left(
    own_pool: Pool, asked: list[Child]
) -> None:
    run_all(own_pool, [*some(2), *some(2, SHARED + "\nother = 1")])
    assert not asked


def test_the_next_map_is_served_by_the_same_parent(
    own_pool: Pool, born: list[Program], asked: list[Child]
) -> None:
    run_all(own_pool, some(4))
    pid = parent_pid(own_pool)
    born.clear()
    programs = some(5)
    for program in programs[:2]:
        run_all(own_pool, [program])
    run_all(own_pool, programs[2:])
    assert born == programs
    assert len(asked) == 1
    assert parent_pid(own_pool) == pid


def test_known_to_be_costly_it_is_loaded_before_the_first_program(
    own_pool: Pool, born: list[Program], asked: list[Child]
) -> None:
    run_all(own_pool, some(3))
    run_all(own_pool, some(3, SHARED + "\nother = 1"))
    born.clear()
    again = some(3)
    run_all(own_pool, again)
    assert born == again
    assert len(asked) == 3


def test_other_limits_have_another_parent(own_pool: Pool, asked: list[Child]) -> None:
    run_all(own_pool, some(3))
    first = parent_pid(own_pool)
    run_all(own_pool, some(3, limits=replace(LIMITS, cpu_ms=LIMITS.cpu_ms + 100)))
    assert len(asked) == 2
    assert parent_pid(own_pool) != first
    wait_until(lambda: not is_alive(first), "two parents are kept")


def test_nothing_of_it_runs_between_two_maps(own_pool: Pool) -> None:
    run_all(own_pool, some(4))
    pid = parent_pid(own_pool)
    wait_until(lambda: state_of(pid) == "T", "it isn't stopped")
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    wait_until(
        lambda: all(state_of(int(child)) in ("Z", "X", "") for child in children),
        "a child of it still runs",
    )


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_one_that_was_ended_between_two_maps_is_replaced(
    own_pool: Pool, born: list[Program], asked: list[Child], number: signal.Signals
) -> None:
    run_all(own_pool, some(3))
    pid = parent_pid(own_pool)
    os.kill(pid, number)
    # A signal that doesn't end who is stopped ends it when it goes on.
    wait_until(lambda: not is_alive(pid) or number != signal.SIGKILL, "it lives on")
    born.clear()
    again = some(4)
    run_all(own_pool, again)
    if number == signal.SIGKILL:
        assert len(asked) == 2
        assert born == again
    assert pid not in descendants(own_pool.zygote_pid or 0)


def test_it_ends_when_nobody_has_needed_it_for_long(
    asked: list[Child], monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = threading.active_count()
    with Pool() as pool:
        monkeypatch.setattr(broods, "_KEPT_SECONDS", 0.1)
        for number in range(2):
            run_all(pool, some(3))
            wait_until(lambda n=number: asked[n].process is None, "it is kept")  # type: ignore[misc]
            assert pool._broods._present is None
        # Who is used again and again is kept for longer each time.
        monkeypatch.setattr(broods, "_KEPT_SECONDS", 10 * PATIENCE_SECONDS)
        run_all(pool, some(3))
        pid = parent_pid(pool)
        for _ in range(3):
            until = pool._broods._kept_until
            run_all(pool, some(1))
            assert parent_pid(pool) == pid
            assert pool._broods._kept_until > until
        assert is_alive(pid)
    wait_until(lambda: threading.active_count() <= threads, "a thread is left")


def test_a_closed_pool_leaves_neither_parent_nor_thread() -> None:
    threads = threading.active_count()
    before = open_descriptors()
    pool = Pool()
    run_all(pool, some(3))
    below = {parent_pid(pool), *descendants(pool.zygote_pid or 0)}
    pool.close()
    wait_until(lambda: not any(map(is_alive, below)), "processes outlived their pool")
    wait_until(lambda: threading.active_count() <= threads, "a thread is left")
    wait_until(lambda: open_descriptors() <= before, "descriptors leak")


def test_it_is_not_kept_for_more_children_than_it_may_have(
    own_pool: Pool, asked: list[Child], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runner.sandbox.brood._MOST_BORN", 4)
    for _ in range(3):
        run_all(own_pool, some(3))
    # Two of the first map are its children, and three of the second.
    assert len(asked) == 2


def test_a_map_given_up_keeps_no_parent_at_work(own_pool: Pool) -> None:
    run_all(own_pool, some(3))
    pid = parent_pid(own_pool)
    slow = [program_of(f"log({n})\nimport time\ntime.sleep(60)", SHARED) for n in range(3)]

    def cancel(ident: Hashable, _: Sequence[LogLine]) -> None:
        own_pool.cancel(ident)

    mapping = own_pool.map(enumerate(slow), on_output=cancel)
    assert next(mapping)[1] == Cancelled()
    mapping.close()  # type: ignore[attr-defined]
    wait_until(lambda: state_of(pid) in ("T", ""), "it goes on")
    run_all(own_pool, some(3))


def test_who_waits_for_a_parent_is_cancelled_at_once(own_pool: Pool, asked: list[Child]) -> None:
    slow = SHARED + "\nimport time\ntime.sleep(2)\n"
    programs = some(4, slow, Limits(cpu_ms=5_000, wall_ms=60_000))
    mapping = own_pool.map(enumerate(programs))
    assert isinstance(next(mapping)[1], Outcome)

    def cancel_all() -> None:
        await_that(lambda: asked)
        for n in (1, 2, 3):
            own_pool.cancel(n)

    cancelling = threading.Thread(target=cancel_all)
    cancelling.start()
    assert dict(mapping) == dict.fromkeys((1, 2, 3), Cancelled())
    cancelling.join()
    assert len(asked) == 1
    # Nobody has waited until it had loaded: then it would be kept.
    assert own_pool._broods._present is None


def test_no_parent_is_asked_for_where_programs_are_to_run_alone(
    own_pool: Pool, born: list[Program], asked: list[Child]
) -> None:
    programs = some(3)
    run_all(own_pool, programs)
    run_all(own_pool, some(3, SHARED + "\nother = 1"))
    born.clear()
    # Two of them were born before, and are worth keeping the second time.
    run_all(own_pool, programs[1:])
    assert not born
    assert len(asked) == 2
    run_all(own_pool, programs[1:])
    assert born == programs[1:]


def test_a_map_that_is_to_begin_no_more_ends_what_it_has_begun(own_pool: Pool) -> None:
    taken: list[int] = []

    def taking() -> Iterator[tuple[Hashable, Program]]:
        for n, program in enumerate(some(9)):
            taken.append(n)
            pause = "import time\ntime.sleep(0.2)"
            yield n, replace(program, modules=(program.modules[0], _test(f"log({n})\n{pause}")))

    def stop(ident: Hashable, _: Sequence[LogLine]) -> None:
        if ident == 3:
            own_pool.begin_no_more()

    outcomes = dict(own_pool.map(taking(), on_output=stop))
    assert [n for n, outcome in outcomes.items() if isinstance(outcome, Outcome)] == [0, 1, 2, 3]
    assert outcomes.keys() == set(taken)
    run_all(own_pool, some(2))


def _test(source: str) -> Module:
    return program_of(source).modules[-1]


def test_the_last_map_says_nothing_of_the_next(own_pool: Pool) -> None:
    failing = [program_of(f"state.append({n})\nassert F() == 1", SHARED) for n in range(4)]
    first = [o for _, o in own_pool.map(enumerate(failing)) if isinstance(o, Outcome)]
    second = [o for _, o in own_pool.map(enumerate(failing)) if isinstance(o, Outcome)]
    third = [o for _, o in own_pool.map(enumerate(failing)) if isinstance(o, Outcome)]
    assert [essence(o) for o in first] == [essence(o) for o in second]
    assert [essence(o) for o in first] == [essence(o) for o in third]
    assert {o.verdict for o in first} == {Verdict.FAILED}
