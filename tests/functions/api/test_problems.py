"""Every error, wherever it comes from, has one form."""

import json
import re
from http.client import responses
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from django.db import InterfaceError, OperationalError
from django.test import Client
from structlog.contextvars import bound_contextvars

from functions.api.problems import CODES, RULES
from functions.models import Function
from functions.request_limits import limit_of_call
from tests.functions.api.conftest import API, Caller, assert_problem

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    "body",
    [
        *("", "{", "[]", "1", '"x"', "null", "nonsense", b"\xff\xfe", '{"name": NaN}'),
        *('{"name": "Add", "x": 1e5', "[" * 100_000, '{"name": ' + "9" * 5000 + "}"),
    ],
)
def test_a_body_that_is_no_json_object_is_malformed(mira: Caller, body: Any) -> None:
    assert_problem(mira.post("/functions/", body), 400, "malformed")


@pytest.mark.parametrize("value", [1, None, [], {}, True])
def test_a_value_of_another_type_is_malformed_and_named(mira: Caller, value: Any) -> None:
    response = mira.post("/functions/", {"name": value, "signature": "", "description": ""})
    problem = assert_problem(response, 400, "malformed")
    assert [error["field"] for error in problem["errors"]] == ["name"]


def test_a_value_that_is_missing_is_named(mira: Caller) -> None:
    problem = assert_problem(mira.post("/functions/", {"signature": "()"}), 400, "malformed")
    assert [(one["field"], one["code"]) for one in problem["errors"]] == [("name", "missing")]


def test_text_that_cannot_be_stored_is_refused_with_its_place(mira: Caller, add: Function) -> None:
    for text in ("ok\nx = '\0'", "ok\nx = '\ud800'"):
        response = mira.post("/functions/Add/implementations/", {"code": text})
        problem = assert_problem(response, 422, "invalid_character")
        (error,) = problem["errors"]
        assert (error["field"], error["line"], error["column"]) == ("code", 2, 6)


def test_numbers_too_large_for_the_database_are_no_error_of_ours(mira: Caller) -> None:
    for path in (f"/batches/{2**64}/", f"/batches/{'9' * 200}/"):
        assert_problem(mira.get(path), 404, "not_found")


@pytest.mark.parametrize("path", ["/nothing", "/functions/Add/nothing/", "/", "/tokens/x/"])
def test_an_address_that_does_not_exist_is_a_problem(nobody: Caller, path: str) -> None:
    assert_problem(nobody.get(path), 404, "not_found")


def test_a_method_that_an_address_does_not_take_is_a_problem(nobody: Caller) -> None:
    response = nobody.call("DELETE", "/functions/")
    assert_problem(response, 405, "method_not_allowed")
    assert "POST" in response["Allow"]


def test_code_that_is_too_large_is_refused_by_rule_and_by_request(
    mira: Caller, add: Function
) -> None:
    for size in (101 * 1024, 10 * 1024 * 1024):
        response = mira.post("/functions/Add/implementations/", {"code": "x" * size})
        assert_problem(response, 413, "too_large")


def test_a_host_that_is_not_ours_is_a_problem(nobody: Caller) -> None:
    assert_problem(nobody.get("/functions/", Host="evil.example"), 400, "malformed")


@pytest.mark.parametrize("error", [OperationalError, InterfaceError])
def test_a_database_that_is_away_is_said_with_when_to_try_again(
    mira: Caller, error: type[Exception]
) -> None:
    with patch("functions.api.functions.browse", side_effect=error("server closed")):
        response = mira.get("/functions/")
    assert_problem(response, 503, "unavailable")
    assert int(response["Retry-After"]) >= 1
    with patch("socialcode.accounts.middleware.holder_of_token", side_effect=error("gone")):
        assert_problem(mira.get("/functions/"), 503, "unavailable")


def test_our_own_fault_is_a_problem_with_a_number_and_without_secrets(mira: Caller) -> None:
    with (
        patch("functions.api.functions.browse", side_effect=RuntimeError("secret")),
        bound_contextvars(request_id="0123abcd"),
    ):
        problem = assert_problem(mira.get("/functions/"), 500, "internal_error")
    assert "secret" not in json.dumps(problem)
    assert problem["request_id"] == "0123abcd"
    assert "0123abcd" in problem["detail"]


def test_a_session_writes_with_its_csrf_token_only(mira: Caller) -> None:
    client = Client(enforce_csrf_checks=True)
    assert mira.user is not None
    client.force_login(mira.user)
    body = json.dumps({"name": "Add", "signature": "", "description": ""})

    def post(**headers: str) -> Any:
        return client.post(
            f"{API}/functions/", body, content_type="application/json", headers=headers
        )

    assert_problem(post(), 403, "forbidden")
    assert_problem(post(**{"X-CSRFToken": "x" * 32}), 403, "forbidden")
    client.get("/accounts/tokens/")
    token = client.cookies["csrftoken"].value
    assert post(**{"X-CSRFToken": token}).status_code == 201
    assert client.get(f"{API}/functions/").status_code == 200


def test_a_flood_of_writes_is_stopped_and_reading_goes_on(
    mira: Caller, otto: Caller, limits: None
) -> None:
    body = {"name": "Add", "signature": "", "description": ""}
    functions = limit_of_call("POST", "functions/")
    assert mira.user is not None
    assert functions.user is not None
    for _ in range(functions.user.tries):
        functions.user.count(f"user {mira.user.pk}")
    response = mira.post("/functions/", body)
    assert_problem(response, 429, "too_many_requests")
    assert 1 <= int(response["Retry-After"]) <= functions.user.seconds
    assert "100 new functions a minute" in response.json()["detail"]
    assert mira.get("/functions/").status_code == 200
    assert otto.post("/functions/", body).status_code == 201


def test_answers_below_the_api_keep_the_headers_that_protect(nobody: Caller) -> None:
    response = nobody.get("/nothing")
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "default-src" in response["Content-Security-Policy"]


def test_pages_keep_their_own_errors() -> None:
    response = Client().get("/nothing-here/")
    assert response.status_code == 404
    assert response["Content-Type"].startswith("text/html")


def test_every_code_that_is_answered_is_documented() -> None:
    raised = set()
    for file in (*ROOT.glob("functions/**/*.py"), *ROOT.glob("socialcode/accounts/*.py")):
        if not {"samples", "views"} & set(file.parts):
            text = file.read_text(encoding="utf-8")
            raised |= set(
                re.findall(
                    r"(?:Refusal|Conflict|Forbidden|NotFound|TooLarge)\(\s*\"([a-z_]+)\"", text
                )
            )
            raised |= set(re.findall(r"Complaint\(\s*\"[a-z_]+\",\s*\"([a-z_]+)\"", text))
            raised |= set(re.findall(r"problem\(\s*\d+,\s*code=\"([a-z_]+)\"", text))
    known = {code for code, _ in CODES.values()} | set(RULES)
    assert len(raised) > 10
    assert raised <= known, raised - known


def test_every_status_of_ours_has_a_name() -> None:
    assert CODES.keys() <= responses.keys()


def test_a_slash_too_few_or_too_many_loses_nothing(mira: Caller, add: Function) -> None:
    body = {"name": "Halve", "signature": "", "description": ""}
    assert mira.post("/functions", body).status_code == 201
    assert mira.get("/functions/Halve").json()["name"] == "Halve"
    assert mira.get(f"/topics/{add.topic}/events/").status_code == 200
    assert mira.get("/docs/").status_code == 200


def test_a_function_that_is_deleted_while_one_asks_for_it_is_not_there(
    mira: Caller, add: Function
) -> None:
    Function.objects.filter(pk=add.pk).update(deleted_at=add.created_at)
    with patch("functions.api.histories.function_or_404", return_value=add):
        assert_problem(mira.get("/functions/Add/why/"), 404, "not_found")


def test_answers_say_what_is_left_of_a_rate_limit(mira: Caller, limits: None) -> None:
    tries = limit_of_call("POST", "functions/").user
    assert tries is not None
    answers = [mira.post("/functions/", {"name": "class"}) for _ in range(tries.tries + 1)]
    for left, answer in enumerate(reversed(answers[:-1])):
        assert_problem(answer, 422, "reserved_name")
        assert answer["RateLimit"].endswith(f'"new-functions-rate";r={left};t=20')
        assert answer["RateLimit-Policy"].endswith('"new-functions-rate";q=100;w=60')
    refused = answers[-1]
    assert_problem(refused, 429, "too_many_requests")
    assert (refused["RateLimit"], refused["Retry-After"]) == ('"new-functions-rate";r=0;t=20', "20")
    assert "RateLimit" not in mira.get("/functions/")


def test_at_a_limit_of_an_address_that_one_is_told(nobody: Caller, limits: None) -> None:
    answer = nobody.post("/tokens/", {"username": "x", "password": "y"})
    assert answer["RateLimit"] == '"sign-ins-rate";r=119;t=20'
