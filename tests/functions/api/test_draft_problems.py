"""A draft that can't be run says so when it is saved, and is saved."""

from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from functions.models import Function, Implementation
from tests.functions.api.conftest import Caller
from tests.functions.api.test_works import begin

BROKEN = "def Add(a, b):\n    return a +\n"
WARNED = "def Add(a, b):\n    return a + c\n"


def places(problems: list[dict[str, Any]]) -> list[tuple[str, int, int]]:
    return [(each["severity"], each["line"], each["column"]) for each in problems]


@pytest.mark.parametrize(
    ("noun", "code", "found"),
    [
        ("implementations", BROKEN, [("error", 2, 15)]),
        ("tests", "assert Add(1, 1) == = 2\n", [("error", 1, 21)]),
        ("implementations", "# <<1st>>\n# <<Missing>>\n", [("error", 1, 3), ("warning", 2, 3)]),
        ("implementations", "import socket\n", [("error", 1, 1)]),
        ("implementations", WARNED, [("warning", 2, 16)]),
        ("implementations", "def Add(a, b):\n    return a + b\n", []),
    ],
)
def test_the_answer_has_the_problems_and_their_places(
    mira: Caller, add: Function, noun: str, code: str, found: list[tuple[str, int, int]]
) -> None:
    draft = begin(mira, noun, code)
    assert places(draft["problems"]) == found
    path = f"/{noun}/{draft['id']}/"
    changed = mira.patch(path, {"code": code + "\n"}).json()
    assert places(changed["problems"]) == found
    assert changed["code"] == code + "\n"
    assert mira.get(path).json()["problems"] is None
    assert mira.patch(path, {"title": "new"}).json()["problems"] is None


def test_it_is_saved_while_nothing_checks_code(
    mira: Caller, add: Function, settings: Settings
) -> None:
    settings.ANALYSIS_SOCKET = "/nowhere/socket"
    code = f"{BROKEN}# not checked before, as answers are cached\n"
    draft = begin(mira, "implementations", code)
    assert draft["problems"] is None
    assert Implementation.objects.get(pk=draft["id"]).code == code


def test_the_page_says_it_without_a_script(mira: Caller, add: Function, client: Client) -> None:
    assert mira.user is not None
    client.force_login(mira.user)
    draft = begin(mira, "implementations", "x")
    form = {"code": BROKEN, "title": "t", "version": draft["version"]}
    page = client.post(f"/drafts/implementation/{draft['id']}/", form, follow=True).content.decode()
    assert "Saved. It can’t be run yet: line 2, column 15: Invalid syntax" in page
    work = Implementation.objects.get(pk=draft["id"])
    assert (work.code, work.title) == (BROKEN, "t")
    good = {"code": "def Add(a, b): return a + b", "version": work.version}
    page = client.post(f"/drafts/implementation/{work.pk}/", good, follow=True).content.decode()
    assert "Saved." in page
    assert "It can’t be run yet" not in page
