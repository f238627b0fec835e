"""The documentation is built without a broken link, and served with a strict policy."""

from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

from socialcode.documentation.build import build


@pytest.fixture(scope="module", autouse=True)
def built() -> None:
    build()  # nothing, where `make test` has done it


@pytest.mark.parametrize(
    ("address", "status", "said"),
    [
        ("/docs/", 200, "if you want to"),
        ("/docs/guide/", 200, "<h1"),
        ("/docs/guide", 302, ""),
        ("/docs/CHANGELOG/", 200, "Unreleased"),
        ("/docs/decisions/", 200, "Translations are found and compiled by Babel"),
        ("/docs/de/limits/", 200, 'id="guesses"'),
        ("/docs/search/search_index.json", 200, "lease"),
        ("/docs/nowhere/", 404, ""),
        ("/docs/../manage.py", 404, ""),
        ("/docs/%2e%2e/manage.py", 404, ""),
        ("/docs/a%00b", 404, ""),
    ],
)
def test_pages_are_served(client: Client, address: str, status: int, said: str) -> None:
    answer = client.get(address)
    assert answer.status_code == status
    assert said in answer.content.decode()


def test_inline_scripts_are_allowed_by_their_hashes_alone(client: Client) -> None:
    policy = client.get("/docs/guide/")["Content-Security-Policy"]
    assert "'sha256-" in policy
    assert "unsafe-inline" not in policy


def test_documentation_that_is_not_built_says_how_to_build_it(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "DOCUMENTATION", tmp_path)
    answer = client.get("/docs/guide/")
    assert (answer.status_code, "make docs" in answer.content.decode()) == (503, True)
