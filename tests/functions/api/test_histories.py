"""Why one is current, revisions, differences and records, as programs ask for them."""

from typing import Any

import pytest
from django.test import Client

from functions.models import Function
from runner.models import Batch, Execution
from tests.functions.api.conftest import API, Caller, assert_problem
from tests.functions.api.test_openapi import conforms
from tests.support import builders as make


@pytest.fixture
def schema() -> dict[str, Any]:
    described: dict[str, Any] = Client().get(f"{API}/openapi.json").json()
    return described


@pytest.fixture
def contest(add: Function) -> dict[str, Any]:
    """Make two implementations, one copied from the other, that differ in one result."""
    one = make.implementation(add, code="a = 1\n", standing="failing", standing_reason="T")
    two = make.implementation(add, code="a = 2\n", standing="eligible", based_on=one)
    test = make.test_of(add)
    keys = []
    for work, verdict in ((one, "failed"), (two, "passed")):
        execution = make.execution(work.code, verdict)
        make.batch(add.topic, execution)
        make.cell(work, test, verdict, key=bytes(execution.key))
        keys.append(bytes(execution.key).hex())
    make.elect(two)
    add.elections.create(elected=two, previous=one, cause="votes on implementation #1")
    return {"one": one, "two": two, "test": test, "keys": keys}


def test_answers_of_histories_are_as_described_and_say_what_the_pages_say(
    nobody: Caller, contest: dict[str, Any], schema: dict[str, Any], mira: Caller
) -> None:
    one, two, (left, right) = contest["one"], contest["two"], contest["keys"]
    mira.post("/functions/Add/revisions/1/restore/")
    paths = {
        "/functions/{name}/why/": "/functions/add/why/",
        "/functions/{name}/elections/": "/functions/Add/elections/?limit=1",
        "/functions/{name}/revisions/": "/functions/Add/revisions/",
        "/implementations/{id}/diff/": f"/implementations/{two.pk}/diff/?against={one.pk}",
        "/results/{key}/compare/{other}/": f"/results/{left}/compare/{right}/",
    }
    answers = {}
    for path, asked in paths.items():
        response = nobody.get(asked)
        assert response.status_code == 200, response.content
        described = schema["paths"][f"{API}{path}"]["get"]["responses"]["200"]
        spec = described["content"]["application/json"]["schema"]
        answers[path] = response.json()
        conforms(answers[path], spec, schema, path)
    why = answers["/functions/{name}/why/"]
    assert (why["current"], why["rule"]) == (two.pk, "only_eligible")
    assert [one["id"] for one in why["candidates"]] == [two.pk, one.pk]
    assert why["candidates"][1]["failed"][0]["key"] == left
    assert why["elections"] == answers["/functions/{name}/elections/"]["items"]
    difference = answers["/implementations/{id}/diff/"]
    assert [(line["op"], line["text"]) for line in difference["code"]["lines"]] == [
        ("del", "a = 1"),
        ("add", "a = 2"),
    ]
    assert [work["id"] for work in difference["ancestors"]] == [one.pk]
    assert difference["results"][0]["left"] == "failed"
    records = answers["/results/{key}/compare/{other}/"]
    assert (records["left"]["verdict"], records["right"]["verdict"]) == ("failed", "passed")
    assert "log" in records["same"]
    assert "verdict" not in records["same"]


def test_a_revision_is_compared_and_restored(
    mira: Caller, nobody: Caller, add: Function, schema: dict[str, Any]
) -> None:
    (first,) = nobody.get("/functions/Add/revisions/").json()["items"]
    revised = add.revisions.create(editor=add.owner, signature="(x)", description="Another.")
    Function.objects.filter(pk=add.pk).update(signature="(x)", description="Another.")
    answer = nobody.get(f"/functions/Add/revisions/{revised.pk}/")
    path = f"{API}/functions/{{name}}/revisions/{{id}}/"
    described = schema["paths"][path]["get"]["responses"]["200"]
    conforms(answer.json(), described["content"]["application/json"]["schema"], schema, path)
    assert answer.json()["left"]["id"] == first["id"]
    assert answer.json()["description"]["deleted"] == 1
    restore = f"/functions/Add/revisions/{first['id']}/restore/"
    restored = mira.post(restore).json()
    assert (restored["number"], restored["restored"], restored["latest"]) == (3, 1, True)
    assert nobody.get("/functions/Add/").json()["signature"] == "(a, b)"
    assert_problem(mira.post(restore.replace(str(first["id"]), "999")), 404, "not_found")
    assert_problem(nobody.get("/functions/Add/revisions/?cursor=x"), 400, "malformed")


def test_a_program_is_run_again_once_for_each_request(
    mira: Caller, contest: dict[str, Any]
) -> None:
    path = f"/results/{contest['keys'][0]}/run-again/"
    asked = {"Idempotency-Key": "once"}
    started = mira.post(path, **asked)
    assert started.status_code == 202
    assert mira.post(path, **asked).json() == started.json()
    batch = Batch.objects.get(pk=started.json()["batch"])
    execution = Execution.objects.get(key=bytes.fromhex(contest["keys"][0]))
    assert batch.tasks.get().execution == execution
    assert_problem(mira.post(path), 409, "run_open")
    assert_problem(mira.post(f"/results/{'0' * 64}/run-again/"), 404, "not_found")
    assert_problem(mira.post("/results/x/run-again/"), 404, "not_found")
