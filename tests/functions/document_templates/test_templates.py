"""Stored templates: who may do what with them, through the API and on their pages."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from functions.document_templates import templates
from functions.document_templates.templates import create_template
from functions.models import AuditEntry, DocumentTemplate
from socialcode.accounts.agents.accounts import create_agent
from tests.functions.api.conftest import Caller
from tests.support import builders as make
from tests.support.refusals import code_of

pytestmark = pytest.mark.django_db
SHORT = {"name": "$.first_name", "zip": {"$from": "$.zip", "$default": None}}
PATH = "/document-templates/"


@pytest.fixture
def mira() -> User:
    return make.user("mira")


def stored(owner: User, name: str = "Short", definition: Any = SHORT) -> DocumentTemplate:
    return create_template(actor=owner, name=name, definition=definition, description="Short.")


def test_a_template_is_created_read_applied_replaced_and_deleted(mira: User) -> None:
    caller = Caller(mira)
    made = caller.post(PATH, {"name": "Short", "definition": SHORT, "description": "Short."})
    assert made.status_code == 201, made.content
    assert list(made.json()["definition"]) == ["name", "zip"]
    applied = caller.post(f"{PATH}short/apply/", {"value": {"first_name": "Ada", "age": 36}})
    assert (applied.status_code, applied.json()) == (200, {"value": {"name": "Ada", "zip": None}})
    changed = caller.put(f"{PATH}SHORT/", {"definition": "$.zip"}).json()
    assert (changed["name"], changed["definition"], changed["description"]) == (
        "Short",
        "$.zip",
        "",
    )
    assert Caller().get(f"{PATH}Short/").json() == changed
    assert caller.call("DELETE", f"{PATH}Short/").status_code == 204
    assert caller.get(f"{PATH}Short/").status_code == 404


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"name": "SHORT", "definition": 1}, "name_taken"),
        ({"name": "new", "definition": 1}, "reserved_name"),
        ({"name": "a-b", "definition": 1}, "invalid_name"),
        ({"name": "Other", "definition": {"$form": 1}}, "invalid_template"),
        ({"name": "Other", "definition": "a\0"}, "invalid_character"),
        ({"name": "Other", "definition": 1, "description": "x" * 2_001}, "too_long"),
        ({"name": "Other"}, "malformed"),
    ],
)
def test_a_wrong_template_is_refused(mira: User, body: dict[str, Any], code: str) -> None:
    stored(mira)
    answer = Caller(mira).post(PATH, body)
    assert answer.json()["code"] == code
    assert DocumentTemplate.objects.count() == 1


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"value": {}}, 422, "mapping_failed"),
        ({}, 422, "no_value"),
        ('{"value": 1e999}', 422, "invalid_number"),
        ('{"value": ' + "[" * 500 + "]" * 500 + "}", 422, "too_deep"),
        ({"value": "x" * 110_000}, 413, "too_large"),
    ],
)
def test_what_a_template_does_not_fit_is_refused(
    mira: User, body: Any, status: int, code: str
) -> None:
    stored(mira)
    answer = Caller(mira).post(f"{PATH}Short/apply/", body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_templates_are_listed_by_name_page_by_page(mira: User) -> None:
    for name in ("b", "A", "C"):
        stored(mira, name)
    first = Caller().get(f"{PATH}?limit=2").json()
    second = Caller().get(f"{PATH}?limit=2&cursor={first['next']}").json()
    assert [row["name"] for row in first["items"] + second["items"]] == ["A", "b", "C"]
    assert second["next"] is None


def test_only_the_owner_their_agents_and_staff_change_a_template(mira: User) -> None:
    agent = create_agent(actor=mira, name="helper")[0].user
    template = stored(agent)
    assert template.owner == mira
    path, body = f"{PATH}Short/", {"definition": "$"}
    assert Caller(make.user("otto")).put(path, body).json()["code"] == "not_yours"
    assert Caller(agent).put(path, body).status_code == 200
    assert not AuditEntry.objects.exists()
    staff = Caller(make.user("sam", is_staff=True))
    assert staff.put(path, body).status_code == 200
    assert staff.call("DELETE", path).status_code == 204
    acts = AuditEntry.objects.order_by("pk").values_list("act", "person__username", "label")
    assert list(acts) == [
        ("template_changed", "mira", "Short"),
        ("template_deleted", "mira", "Short"),
    ]


def test_an_owner_has_at_most_so_many(mira: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(templates, "MAX_OF_AN_OWNER", 1)
    stored(mira)
    refused = code_of(create_template, actor=mira, name="Other", definition=1)
    assert refused == "too_many_templates"


def output(page: Any) -> str:
    found = re.search(r'id="output"[^>]*>(.*?)</pre>', page.content.decode(), re.DOTALL)
    assert found
    return re.sub(r"\s+", "", found[1])


def test_the_page_tries_a_definition_for_everybody_and_stores_it_for_the_owner(mira: User) -> None:
    url = stored(mira).get_absolute_url()
    typed = {"definition": '{"n": "$.a"}', "value": '{"a": 5}', "description": "New."}
    visitor, owner = Client(), Client()
    assert "<script" in visitor.get(url).content.decode()
    tried = visitor.post(url, {**typed, "try": "1"})
    assert output(tried) == "{&quot;n&quot;:5}"
    wrong = visitor.post(url, {**typed, "definition": "{", "try": "1"})
    assert (wrong.status_code, "line 1, column 2" in wrong.content.decode()) == (422, True)
    assert visitor.post(url, typed)["Location"].startswith("/accounts/login/")
    owner.force_login(make.user("otto"))
    assert owner.post(url, typed).status_code == 403
    owner.force_login(mira)
    assert owner.post(url, typed)["Location"] == url
    assert DocumentTemplate.objects.get().definition_value == {"n": "$.a"}
    assert owner.post(f"{url}delete/")["Location"] == PATH
    assert not DocumentTemplate.objects.exists()


def test_a_copy_is_made_on_the_page_for_new_ones(mira: User) -> None:
    stored(mira)
    browser = Client()
    browser.force_login(make.user("otto"))
    page = browser.get(f"{PATH}new/?from=Short").content.decode()
    assert "$.first_name" in page
    typed = {"name": "Mine", "definition": '"$"', "value": "[1]"}
    assert output(browser.post(f"{PATH}new/", {**typed, "try": "1"})) == "[1]"
    assert browser.post(f"{PATH}new/", typed)["Location"] == f"{PATH}Mine/"
