"""Clients of the API: somebody with a token, and nobody."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client

from functions.models import Function
from socialcode.accounts.tokens import create_token
from tests.support import builders as make
from tests.support.limits import limits  # noqa: F401 - a fixture

API = "/api/v1"


class Caller:
    """Calls the API as a program does: JSON, and a token where it has one."""

    def __init__(self, user: User | None = None) -> None:
        self.user = user
        self.client = Client(raise_request_exception=False)
        self.headers: dict[str, str] = {}
        if user is not None:
            _, text = create_token(user=user)
            self.headers["Authorization"] = f"Bearer {text}"

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """Call and return the response; `body` is sent as JSON, bytes and text as they are."""
        content = body if isinstance(body, str | bytes) else json.dumps(body)
        return self.client.generic(
            method,
            f"{API}{path}",
            "" if body is None else content,
            content_type="application/json",
            headers={**self.headers, **headers},
        )

    def get(self, path: str, **headers: str) -> Any:
        return self.call("GET", path, **headers)

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.call("POST", path, body, **headers)

    def patch(self, path: str, body: Any = None) -> Any:
        return self.call("PATCH", path, body)

    def put(self, path: str, body: Any = None) -> Any:
        return self.call("PUT", path, body)


CallerOf = Callable[[User | None], Caller]


@pytest.fixture
def nobody(db: None) -> Caller:
    return Caller()


@pytest.fixture
def mira(db: None) -> Caller:
    return Caller(make.user("mira"))


@pytest.fixture
def otto(db: None) -> Caller:
    return Caller(make.user("otto"))


@pytest.fixture
def staff(db: None) -> Caller:
    return Caller(make.user("sam", is_staff=True))


@pytest.fixture
def add(mira: Caller) -> Function:
    """A function of mira's."""
    mira.post("/functions/", {"name": "Add", "signature": "(a, b)", "description": "The sum."})
    return Function.objects.get(name="Add")


def assert_problem(response: HttpResponse, status: int, code: str) -> dict[str, Any]:
    """Check that the response is a problem of this kind, and return it."""
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/problem+json"
    problem: dict[str, Any] = json.loads(response.content)
    assert problem["code"] == code, problem
    assert problem["status"] == status
    assert problem["title"]
    assert problem["detail"]
    assert problem["type"].endswith(f"#{code}")
    for error in problem["errors"]:
        assert {"field", "code", "message", "line", "column"} <= error.keys()
    return problem
