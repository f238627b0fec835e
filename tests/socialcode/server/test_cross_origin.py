"""Pages of other sites use the API by tokens, and nothing else."""

from typing import Any

import pytest
from django.test import Client

from functions.models import Function
from socialcode.server.cross_origin import READ, settings_of
from tests.functions.api.conftest import Caller
from tests.support import builders as make

ORIGIN = {"Origin": "https://elsewhere.example"}
PREFLIGHT = {
    **ORIGIN,
    "Access-Control-Request-Method": "PATCH",
    "Access-Control-Request-Headers": "authorization,content-type,if-match,idempotency-key",
}


@pytest.mark.parametrize("path", ["/api/v1/functions/Add/", "/api/v1/functions/Add", "/r/Wares/7/"])
def test_a_browser_that_asks_beforehand_is_answered(db: None, path: str) -> None:
    answer = Client().options(path, headers=PREFLIGHT)
    assert answer.status_code == 200
    assert answer["Access-Control-Allow-Origin"] == "*"
    assert "PATCH" in answer["Access-Control-Allow-Methods"]
    allowed = {name.strip() for name in answer["Access-Control-Allow-Headers"].split(",")}
    assert allowed >= {"authorization", "content-type", "if-match", "idempotency-key"}
    assert int(answer["Access-Control-Max-Age"]) > 0
    assert "Access-Control-Allow-Credentials" not in answer


def test_answers_may_be_read_with_their_headers(db: None) -> None:
    make.function("Add")
    for path, status in (("/functions/Add/", 200), ("/functions/Gone/", 404)):
        answer = Caller().get(path, **ORIGIN)
        assert answer.status_code == status
        assert answer["Access-Control-Allow-Origin"] == "*"
        exposed = {name.strip() for name in answer["Access-Control-Expose-Headers"].split(",")}
        assert exposed == set(READ) >= {"ETag", "Retry-After", "RateLimit", "RateLimit-Policy"}
        assert "Access-Control-Allow-Credentials" not in answer


def test_a_refused_token_is_told_too(db: None) -> None:
    headers = {**ORIGIN, "Authorization": "Bearer none"}
    answer = Client().get("/api/v1/functions/", headers=headers)
    assert (answer.status_code, answer["Access-Control-Allow-Origin"]) == (401, "*")


def test_a_session_of_another_sites_page_changes_nothing(db: None) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(make.user("mira", password="x"))
    body = '{"name": "Fresh"}'
    answer = client.post("/api/v1/functions/", body, "application/json", headers=ORIGIN)
    assert answer.status_code == 403
    assert not Function.objects.exists()


@pytest.mark.parametrize("path", ["/", "/accounts/login/", "/healthz"])
def test_pages_are_not_for_other_sites(db: None, path: str) -> None:
    assert "Access-Control-Allow-Origin" not in Client().get(path, headers=ORIGIN)


def test_only_chosen_sites_may_if_there_is_a_choice(db: None, settings: Any) -> None:
    for name, value in settings_of(["https://own.example"]).items():
        setattr(settings, name, value)
    own = Client().get("/api/v1/functions/", headers={"Origin": "https://own.example"})
    assert own["Access-Control-Allow-Origin"] == "https://own.example"
    assert "Access-Control-Allow-Origin" not in Client().get("/api/v1/functions/", headers=ORIGIN)
