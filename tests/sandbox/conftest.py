"""Pools for the sandbox's tests: one under the policy, one whose programs are plain Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from runner.sandbox import Limits, Module, Outcome, Pool, Program, broods
from runner.sandbox.brood import Brood
from runner.sandbox.nursery import Nursery
from runner.sandbox.supervisor.pool import Pool as SetPool
from runner.sandbox.supervisor.prefork import Prefork
from tests.sandbox.judge_process import Judge, judging

RunSource = Callable[..., Outcome]

# Programs for the sandbox, whatever they are called; here they would run unconfined.
collect_ignore_glob = ["corpus/*", "escapes/*"]


@pytest.fixture(scope="session")
def pool() -> Iterator[Pool]:
    with Pool(2) as made:
        yield made


@pytest.fixture(scope="session")
def raw_pool() -> Iterator[Pool]:
    """No policy at all: what is left to break is the process layer."""
    nursery = Nursery(ahead=2, run="tests.sandbox.raw:run_plainly")
    with Pool(nursery=nursery) as made:
        yield made


@pytest.fixture(scope="session")
def set_pool() -> Iterator[SetPool]:
    """A pool whose runs have a process for each part."""
    with SetPool(2) as made:
        yield made


@pytest.fixture(scope="session")
def bare_pool() -> Iterator[SetPool]:
    """Plain Python in the jail of a part, and nothing else of ours."""
    with SetPool(prefork=Prefork(ahead=2, run="tests.sandbox.bare:run_bare")) as made:
        yield made


@pytest.fixture
def born(monkeypatch: pytest.MonkeyPatch) -> list[Program]:
    """The programs that were run in a brood."""
    programs: list[Program] = []
    bear = Brood.bear

    def noting(brood: Brood, program: Program, *, is_followed: bool = False) -> object:
        programs.append(program)
        return bear(brood, program, is_followed=is_followed)

    monkeypatch.setattr(Brood, "bear", noting)
    return programs


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A parent may try to load for long, as it does on a busy machine."""
    monkeypatch.setattr(broods, "_TRIAL_SECONDS", 20.0)


def program_testing(source: str, test: str = "", *, limits: Limits | None = None) -> Program:
    """A program that tests `F`, defined by `source`."""
    modules = (Module("F", source), Module("test", test, ("F",)))
    return Program(modules, "test", "F", limits or Limits())


def program_loading(source: str, *, limits: Limits | None = None) -> Program:
    """A program that only loads `F`."""
    return Program((Module("F", source),), "load", "F", limits or Limits())


@pytest.fixture
def run_test(pool: Pool) -> RunSource:
    """Run `source`, which defines F, against `test`."""

    def run(source: str, test: str = "", *, limits: Limits | None = None) -> Outcome:
        return pool.run(program_testing(source, test, limits=limits))

    return run


@pytest.fixture
def run_code(pool: Pool) -> RunSource:
    """Run statements as a test."""

    def run(code: str, *, limits: Limits | None = None) -> Outcome:
        return pool.run(program_testing("F = None\n", code, limits=limits))

    return run


@pytest.fixture
def run_raw(raw_pool: Pool) -> RunSource:
    """Run plain Python under the process layer alone."""

    def run(code: str, *, limits: Limits | None = None) -> Outcome:
        return raw_pool.run(program_loading(code, limits=limits))

    return run


@pytest.fixture(scope="session")
def judge() -> Iterator[Judge]:
    """Judge tests in a process apart, without a jail."""
    with judging() as made:
        yield made
