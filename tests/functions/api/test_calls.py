"""Calling functions over HTTP: the current implementation or the locked one, or why not."""

from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from functions.calls import pins
from functions.models import Function, Implementation
from runner.calls.server import ServerLimits
from runner.sandbox import Pool
from tests.functions.api.conftest import Caller, assert_problem
from tests.support import builders as make
from tests.support.callers import (  # noqa: F401 - fixtures
    callers,
    callers_socket,
    elected,
    implemented,
    serving,
    withdraw,
)

ADD = "def Add(a, b=1):\n    log('adding', a)\n    return a + b\n"
DOUBLE = "# <<Add>>\ndef Double(n):\n    return {'twice': Add(n, b=n)}\n"


@pytest.fixture
def double(callers: Path) -> Function:  # noqa: F811
    """A function that uses another."""
    return implemented("Double", DOUBLE, uses=(implemented("Add", ADD),))


def called(caller: Caller, name: str, *args: Any, lock: str | None = None, **kwargs: Any) -> Any:
    body = {"args": list(args), "kwargs": kwargs, "lock": lock}
    return caller.post(f"/functions/{name}/call/", body)


def test_a_call_runs_the_current_implementation_with_all_that_it_uses(
    mira: Caller, double: Function
) -> None:
    answer = called(mira, "double", 4).json()
    assert answer["result"] == {"twice": 8}
    assert [line["text"] for line in answer["log"]] == ["adding 4"]
    assert 0 < answer["cpu_us"] <= answer["wall_us"]
    assert not answer["truncated"]
    assert [one["name"] for one in answer["versions"]] == ["Add", "Double"]
    assert answer["versions"][1]["implementation"] == double.elected_id
    with CaptureQueriesContext(connection) as queries:
        assert called(mira, "Add", 2, b=[]).status_code == 422
        before = len(queries)
        assert called(mira, "Double", n=5).json()["result"] == {"twice": 10}
    # Whose token it is, the closure, and the count; code is with the callers by now.
    assert len(queries) - before == 3


def test_calls_and_their_cpu_time_are_counted_and_refused_beyond_the_quota(
    mira: Caller, double: Function, settings: Settings, limits: None
) -> None:
    settings.CALLS_PER_DAY = 2
    answers = [called(mira, "Double", 4) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert answers[0]["RateLimit"].startswith('"calls";r=1;')
    assert (
        "today's quota of calls: 2 of 2"
        in assert_problem(answers[2], 429, "quota_reached")["detail"]
    )
    used = {item["resource"]: item["used"] for item in mira.get("/use/").json()["items"]}
    assert used["calls"] == 2
    assert used["cpu"] == pytest.approx(sum(one.json()["cpu_us"] for one in answers[:2]) / 1e6)
    settings.CALLS_PER_DAY = 3
    assert called(mira, "Double", 4).status_code == 200


def test_a_lock_uses_its_versions_though_others_are_current_and_these_withdrawn(
    mira: Caller, double: Function
) -> None:
    lock = called(mira, "Double", 2).json()["lock"]
    add = Function.objects.get(name="Add")
    former = add.elected
    assert former is not None
    elected(add, "def Add(a, b): return 'new'\n")
    withdraw(former)
    assert called(mira, "Double", 2).json()["result"] == {"twice": "new"}
    locked = called(mira, "Double", 2, lock=lock).json()
    assert (locked["result"], locked["lock"]) == ({"twice": 4}, lock)
    assert former.pk in [one["implementation"] for one in locked["versions"]]
    # A dependency that has been deleted since is no less what it was.
    Function.objects.filter(pk=add.pk).update(deleted_at=add.created_at)
    assert called(mira, "Double", 2, lock=lock).json()["result"] == {"twice": 4}
    assert_problem(called(mira, "Double", 2), 409, "function_blocked")


def test_a_lock_that_is_forged_or_of_another_function_is_refused(
    mira: Caller, double: Function
) -> None:
    lock = called(mira, "Double", 2).json()["lock"]
    body, _, seal = lock.rpartition(":")
    other = called(mira, "Add", 2).json()["lock"]
    flipped = f"{body}:{'A' if seal[0] != 'A' else 'B'}{seal[1:]}"
    foreign = f"{other.rpartition(':')[0]}:{seal}"
    for forged in ("x", "a:b", body, flipped, foreign, other, "\ud800", lock + "é", "." * 9_999):
        problem = assert_problem(called(mira, "Double", 2, lock=forged), 422, "invalid_lock")
        assert problem["errors"][0]["field"] == "lock"
    # What it names is gone: the rows of a database that was put back, say.
    Implementation.objects.filter(function=double).update(source_sha256=b"x" * 32)
    pins._versions_of_pin.cache_clear()
    assert_problem(called(mira, "Double", 2, lock=lock), 422, "invalid_lock")


def test_what_goes_wrong_in_a_call_is_told_with_verdict_place_and_log(
    mira: Caller, double: Function
) -> None:
    failed = called(mira, "Double", None)
    problem = assert_problem(failed, 422, "call_failed")
    assert (problem["verdict"], problem["module"], problem["line"]) == ("error", "Add", 3)
    assert problem["message"].startswith("TypeError: unsupported operand")
    assert problem["detail"].endswith("(Add, line 3)")
    assert [line["text"] for line in problem["log"]] == ["adding None"]
    assert problem["cpu_us"] > 0
    assert problem["lock"]
    implemented(
        "Odd", "def Odd(kind):\n    return [1, {'a': {'s': {1}, 'f': float('inf')}[kind]}]\n"
    )
    for kind, said in (("s", "an object of class set at [1]['a']"), ("f", "the float inf at [1]")):
        problem = assert_problem(called(mira, "Odd", kind), 422, "call_failed")
        assert said in problem["message"]
    implemented("Endless", "def Endless():\n    while True: pass\n")
    problem = assert_problem(called(mira, "Endless"), 422, "call_failed")
    assert problem["verdict"] == "time_limit"
    problem = assert_problem(called(mira, "Double"), 422, "call_failed")
    assert "missing 1 required positional argument" in problem["message"]


def test_what_cannot_be_called_is_refused_before_anything_runs(
    nobody: Caller, mira: Caller, double: Function, settings: Settings
) -> None:
    make.function("Bare")
    blocked = implemented("Blocked", "# <<Bare>>\ndef Blocked(): pass\n")
    assert blocked.elected is not None
    make.dependency(blocked.elected, "Bare", Function.objects.get(name="Bare"))
    assert_problem(called(nobody, "Double", 1), 401, "nobody")
    assert_problem(called(mira, "Bare"), 409, "not_implemented")
    problem = assert_problem(called(mira, "Blocked"), 409, "function_blocked")
    assert "Bare" in problem["detail"]
    for name in ("Missing", "a%00b", "%F0%9F%98%80"):
        assert_problem(called(mira, name), 404, "not_found")
    deep: Any = 1
    for _ in range(120):
        deep = [deep]
    assert_problem(called(mira, "Double", deep), 422, "invalid_arguments")
    assert_problem(called(mira, "Double", "x" * 1_100_000), 413, "too_large")
    bodies: list[Any] = [{"args": {}}, {"kwargs": []}, {"args": [], "lock": 1}, "{"]
    for body in bodies:
        assert_problem(mira.post("/functions/Double/call/", body), 400, "malformed")
    infinite = '{"args": [1e999]}'
    assert_problem(mira.post("/functions/Double/call/", infinite), 422, "invalid_arguments")
    settings.CALLERS_SOCKET = "/nowhere/callers"
    response = called(mira, "Double", 1)
    assert_problem(response, 503, "calls_away")
    assert response["Retry-After"] == "1"


def test_a_user_makes_so_many_calls_a_minute(
    mira: Caller, otto: Caller, double: Function, settings: Settings
) -> None:
    with Pool(1) as pool, serving(pool, room=ServerLimits(per_minute=2), keep=True) as served:
        settings.CALLERS_SOCKET = str(served.path)
        settings.CALLS_PER_MINUTE = 2
        with patch("runner.calls.server.clock", lambda: 630.5):
            assert [called(mira, "Double", 1).status_code for _ in range(2)] == [200, 200]
            response = called(mira, "Double", 1)
            assert_problem(response, 429, "too_many_requests")
            assert response["Retry-After"] == "30"
            assert called(otto, "Double", 1).status_code == 200
        with patch("runner.calls.server.clock", lambda: 660.0):
            assert called(mira, "Double", 1).status_code == 200
