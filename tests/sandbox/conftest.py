"""Pools for the sandbox's tests: one as it is, one whose programs are plain Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from runner.sandbox import Limits, Module, Outcome, Pool, Program
from runner.sandbox.supervisor.prefork import Prefork
from tests.sandbox.judge_process import Judge, judging

RunSource = Callable[..., Outcome]


@pytest.fixture(scope="session")
def pool() -> Iterator[Pool]:
    with Pool(2) as made:
        yield made


@pytest.fixture(scope="session")
def bare_pool() -> Iterator[Pool]:
    """Plain Python in the jail of a part, and nothing else of ours."""
    with Pool(prefork=Prefork(ahead=2, run="tests.sandbox.bare:run_bare")) as made:
        yield made


def program_testing(source: str, test: str = "", *, limits: Limits | None = None) -> Program:
    """A program that tests `F`, defined by `source`."""
    modules = (Module("F", source), Module("test", test, ("F",)))
    return Program(modules, "test", "F", limits or Limits())


def program_loading(source: str, *, limits: Limits | None = None) -> Program:
    """A program that only loads `F`."""
    return Program((Module("F", source),), "load", "F", limits or Limits())


def program_alone(source: str, *, limits: Limits | None = None) -> Program:
    """A program of one process, that executes `source`."""
    return Program((Module("F", source),), "script", "F", limits or Limits())


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
def run_bare(bare_pool: Pool) -> RunSource:
    """Run plain Python in the jail alone."""

    def run(code: str, *, limits: Limits | None = None) -> Outcome:
        return bare_pool.run(program_alone(code, limits=limits))

    return run


@pytest.fixture(scope="session")
def judge() -> Iterator[Judge]:
    """Judge tests in a process apart, without a jail."""
    with judging() as made:
        yield made
