"""What people see when we fail."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test import Client


def failing(error: Exception) -> object:
    def fail(**_: object) -> None:
        raise error

    return fail


def test_an_engine_that_is_away_is_a_503_to_be_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("functions.views.browse.browse", failing(OperationalError("away")))
    answer = Client(raise_request_exception=False).get("/")
    assert (answer.status_code, answer["Retry-After"]) == (503, "5")
    assert b"Back in a moment" in answer.content


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/", "/api/v1/functions/"])
def test_a_page_whose_query_takes_too_long_is_a_503_as_well(path: str) -> None:
    def sleeping(run: Callable[..., Any], sql: str, *given: Any) -> Any:
        return run("select pg_sleep(60)" if "functions_function" in sql else sql, *given)

    with connection.cursor() as cursor:
        cursor.execute("set local statement_timeout = 100")
    with connection.execute_wrapper(sleeping):
        answer = Client(raise_request_exception=False).get(path)
    assert answer.status_code == 503
