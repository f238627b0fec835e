"""Runs and tasks over the API: asked for by their state, steered by their owner."""

import pytest

from functions import runs
from functions.models import Function
from functions.rate_limits import Rate
from runner.models import Batch, Task
from runner.states import State
from runner.workers.drainer import Drainer
from tests.functions.api.conftest import Caller, assert_problem
from tests.support import builders as make
from tests.support.works import constant, draft_implementation, implement, publish_test


def ids(caller: Caller, path: str) -> list[int]:
    """Return what is listed, through all pages."""
    found: list[int] = []
    address = path
    while True:
        answer = caller.get(address).json()
        found += [item["id"] for item in answer["items"]]
        if answer["next"] is None:
            return found
        joint = "&" if "?" in path else "?"
        address = f"{path}{joint}cursor={answer['next']}"


def test_runs_are_asked_for_by_what_one_knows_of_them(
    nobody: Caller, mira: Caller, add: Function
) -> None:
    waiting = make.batch(add.topic, make.execution(verdict=""), owner=mira.user)
    done = make.batch(make.function().topic, make.execution(), parent=waiting)
    assert ids(nobody, "/batches/?limit=1") == [done.pk, waiting.pk]
    assert ids(nobody, "/batches/?state=open") == [waiting.pk]
    assert ids(nobody, "/batches/?state=complete&limit=1") == [done.pk]
    assert ids(nobody, "/batches/?owner=mira&function=ADD") == [waiting.pk]
    assert ids(nobody, f"/batches/?parent={waiting.pk}") == [done.pk]
    assert ids(nobody, "/batches/?since=2020-01-01T00:00:00") == [done.pk, waiting.pk]
    assert ids(nobody, "/batches/?since=2100-01-01T00:00:00Z") == []
    (row,) = nobody.get("/batches/?state=open").json()["items"]
    assert (row["function"], row["owner"], row["private"]) == ("Add", "mira", False)
    assert row["tasks"]["pending"] == 1


def test_tasks_are_asked_for_by_state(nobody: Caller, add: Function) -> None:
    given_up = make.execution(verdict="", state=State.IGNORED, attempts=3)
    batch = make.batch(add.topic, make.execution(), given_up, make.execution(verdict=""))
    make.attempt(given_up, 3, "failed", at=batch.created_at, error="It broke", worker="w-1")
    later = make.batch(add.topic, make.execution())
    first, second, third = Task.objects.filter(batch=batch).order_by("pk")
    last = Task.objects.get(batch=later)
    assert ids(nobody, "/tasks/?limit=2") == [last.pk, first.pk, second.pk, third.pk]
    assert ids(nobody, "/tasks/?state=succeeded&limit=1") == [last.pk, first.pk]
    assert ids(nobody, "/tasks/?state=ignored") == [second.pk]
    assert ids(nobody, f"/tasks/?batch={batch.pk}&limit=1") == [first.pk, second.pk, third.pk]
    assert ids(nobody, f"/tasks/?batch={batch.pk}&state=pending") == [third.pk]
    task = nobody.get(f"/tasks/{second.pk}/").json()
    assert (task["state"], task["attempts"], task["worker"]) == ("ignored", 3, "w-1")
    assert [(one["outcome"], one["error"]) for one in task["tries"]] == [("failed", "It broke")]


def test_what_belongs_to_a_draft_is_its_authors_alone(
    mira: Caller, otto: Caller, staff: Caller, nobody: Caller
) -> None:
    execution = make.execution(verdict="")
    batch = make.batch("draft:test-1", execution, owner=mira.user, private=True)
    task = Task.objects.get(batch=batch)
    for other in (otto, staff, nobody):
        assert ids(other, "/batches/") == ids(other, "/tasks/") == []
        assert ids(other, f"/tasks/?batch={batch.pk}") == []
        assert_problem(other.get(f"/tasks/{task.pk}/"), 404, "not_found")
        assert_problem(other.get(f"/batches/{batch.pk}/"), 404, "not_found")
    for other in (otto, staff):
        assert_problem(other.post(f"/batches/{batch.pk}/cancel/"), 404, "not_found")
    assert ids(mira, "/batches/") == [batch.pk]
    assert ids(mira, "/tasks/?state=pending") == [task.pk]
    assert mira.post(f"/batches/{batch.pk}/cancel/").status_code == 200


@pytest.mark.parametrize(
    "query",
    [
        "/batches/?state=lost",
        "/batches/?since=yesterday",
        "/batches/?cursor=x",
        "/batches/?parent=0",
        "/tasks/?state=open",
        "/tasks/?batch=x",
        "/tasks/?cursor=WzFd",
        "/tasks/?limit=0",
        f"/tasks/?batch={2**63}",
    ],
)
def test_what_cannot_be_asked_is_a_problem(nobody: Caller, query: str) -> None:
    assert_problem(nobody.get(query), 400, "malformed")


def test_a_run_is_cancelled_by_its_owner_or_staff(
    mira: Caller, staff: Caller, add: Function
) -> None:
    for caller in (mira, staff):
        batch = make.batch(add.topic, make.execution(verdict=""), owner=mira.user)
        child = make.batch(make.function().topic, make.execution(verdict=""), parent=batch)
        path = f"/batches/{batch.pk}/cancel/"
        answer = caller.post(path)
        assert (answer.status_code, answer.json()["tasks"]["cancelled"]) == (200, 1)
        assert Task.objects.get(batch=child).state == State.CANCELLED


def test_a_run_that_has_ended_is_not_cancelled(mira: Caller, add: Function) -> None:
    batch = make.batch(add.topic, make.execution(), owner=mira.user)
    assert_problem(mira.post(f"/batches/{batch.pk}/cancel/"), 409, "run_ended")
    assert_problem(mira.post("/batches/999999/cancel/"), 404, "not_found")
    assert Batch.objects.get(pk=batch.pk).state == batch.state


def test_what_was_cancelled_is_retried_as_a_run_of_its_own(
    worker: Drainer, mira: Caller, nobody: Caller, add: Function
) -> None:
    implement(add, constant("Add", 1), author="mira")
    batch = Batch.objects.latest("pk")
    path = f"/batches/{batch.pk}/retry/"
    assert_problem(mira.post(path), 409, "nothing_to_run")
    assert mira.post(f"/batches/{batch.pk}/cancel/").status_code == 200
    answer = mira.post(path, **{"Idempotency-Key": "once"})
    assert answer.status_code == 202
    assert mira.post(path, **{"Idempotency-Key": "once"}).json() == answer.json()
    worker.drain()
    retried = nobody.get(f"/batches/{answer.json()['batch']}/").json()
    assert (retried["state"], retried["total"]) == ("complete", retried["verdicts"]["passed"])
    assert (retried["owner"], retried["function"], retried["parent"]) == ("mira", "Add", None)
    assert nobody.get(f"/batches/{batch.pk}/").json()["state"] == "cancelled"
    assert nobody.get("/functions/Add/").json()["status"] == "implemented"


def test_a_run_is_had_again_past_the_known_results(
    worker: Drainer, mira: Caller, staff: Caller, nobody: Caller, add: Function
) -> None:
    publish_test(add, "assert Add() == 1")
    implement(add, constant("Add", 1), author="mira")
    batch = Batch.objects.latest("pk")
    path = f"/batches/{batch.pk}/run-again/"
    assert_problem(mira.post(path), 409, "run_open")
    worker.drain()
    for caller in (mira, staff):
        again = caller.post(path).json()["batch"]
        worker.drain()
        shown = nobody.get(f"/batches/{again}/").json()
        assert (shown["state"], shown["executed"]) == ("complete", shown["total"])
        assert (shown["total"], shown["load_checks"]) == (1, 1)


def test_a_drafts_run_stays_private_and_labelled_when_it_is_had_again(
    worker: Drainer, mira: Caller, staff: Caller, add: Function
) -> None:
    publish_test(add, "def test_value():\n    assert Add() == 1\n")
    draft = draft_implementation(add, constant("Add", 1), author="mira")
    batch = mira.post(f"/implementations/{draft.pk}/run/").json()["batch"]
    worker.drain()
    assert_problem(staff.post(f"/batches/{batch}/run-again/"), 404, "not_found")
    again = mira.post(f"/batches/{batch}/run-again/").json()["batch"]
    assert mira.get(f"/batches/{again}/").json()["private"] is True
    tasks = mira.get(f"/tasks/?batch={again}").json()["items"]
    assert [task["implementation"] for task in tasks] == [draft.pk] * 2


def test_runs_are_not_repeated_without_end(
    limits: None, monkeypatch: pytest.MonkeyPatch, mira: Caller, add: Function
) -> None:
    monkeypatch.setattr(runs, "RERUNS", Rate("reruns", tries=1, seconds=3600))
    batch = make.batch(add.topic, make.execution(), owner=mira.user)
    path = f"/batches/{batch.pk}/run-again/"
    assert mira.post(path).status_code == 202
    answer = mira.post(path)
    assert_problem(answer, 429, "too_many_requests")
    assert 0 < int(answer["Retry-After"]) <= 3600


@pytest.mark.parametrize(
    ("since", "status"),
    [("0177-11-11T12:24:19%2B19:06", 200), ("0001-01-01T00:00:00%2B12:00", 400)],
)
def test_a_time_in_an_odd_zone_is_understood_or_refused(
    nobody: Caller, since: str, status: int
) -> None:
    assert nobody.get(f"/batches/?since={since}").status_code == status
