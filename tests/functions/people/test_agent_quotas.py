"""What agents' own runs use: counted for the agent, and once for its person."""

import pytest

from runner.quotas import CPU, RUNS, read_use
from runner.workers.drainer import Drainer
from tests.support.agents import agent_of
from tests.support.works import account, constant, define, implement, publish_test

pytestmark = pytest.mark.django_db(transaction=True)


def used(name: str) -> tuple[float, float]:
    uses = read_use(account(name).pk, [RUNS, CPU])
    return uses["runs"].used, uses["cpu"].used


def test_runs_are_counted_for_the_agent_and_its_person(worker: Drainer) -> None:
    add = define("Add", owner="mira")
    publish_test(add, "assert Add()", author="mira")
    agent_of("mira", "helper")
    implement(add, constant("Add", 1), author="helper[agent]")
    worker.drain()
    runs, cpu = used("helper[agent]")
    assert runs == 2  # of loading it, and of the test
    assert cpu > 0
    assert used("mira") == (runs, cpu)
    implement(add, constant("Add", 2), author="mira")
    worker.drain()
    assert used("helper[agent]") == (runs, cpu)
    assert used("mira")[0] == 4
    implement(add, constant("Add", 3), author="otto")
    worker.drain()
    assert (used("helper[agent]")[0], used("mira")[0], used("otto")[0]) == (2, 4, 2)
