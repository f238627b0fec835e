"""Documents that pages and functions change for the authors of their current versions."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from functions.calls.changes import call_and_apply
from functions.calls.commands import apply_commands
from functions.calls.page import PageRequest
from functions.calls.pins import current_versions
from functions.errors import Outdated, Refusal
from functions.models import AppliedRequest, Document, DocumentRevision, Function, Test
from functions.views.page_visits import Visit, answer_visit, page_versions, visit_url
from runner.models import Event
from runner.workers.drainer import Drainer
from tests.functions.pages.conftest import Publish
from tests.support.callers import callers, callers_socket  # noqa: F401 - fixtures
from tests.support.threads import run_together
from tests.support.works import account, define, implement

PATCH = """
import json

def Patch(document, patch):
    return [{"revise": document, "patch": json.loads(patch)}]
"""
PAGE = """\
{# <<Menu>> <<Patch>> <<City>> <<Theirs>> -#}
{% set data = Menu -%}
{% if form.patch %}{% do commands.extend(Patch(form.document, form.patch)) %}{% endif -%}
{% if form.more %}{% do commands.revise("Menu", {"n": Menu.n + 1}) %}{% endif -%}
{{ Menu.dish }}"""
COUNT = """\
# <<Menu>>
def Count():
    return {"commands": [{"revise": "Menu", "patch": {"n": Menu["n"] + 1}}]}
"""


@pytest.fixture
def menu(callers: Path, publish: Publish, worker: Drainer) -> Function:  # noqa: F811
    """A document of ana's, linking another, that a page of hers and a function may change."""
    publish("City", '{"name": "Bern"}', kind="document")
    work = publish("Menu", '{"dish": "soup", "n": 0, "in": {"key": "City"}}', kind="document")
    theirs = define("Theirs", owner="otto", kind="document")
    implement(theirs, '{"of": "otto"}', author="ana")
    publish("Unnamed", '{"n": 0}', kind="document")
    publish("Patch", PATCH, kind="function")
    publish("Board", PAGE)
    publish("Count", COUNT, kind="function")
    worker.drain()
    return work.function


def address(name: str = "ana") -> str:
    return visit_url("Board", account(name))


def send(client: Client, patch: Any, *, by: str = "ana", document: str = "Menu") -> Any:
    form = {"document": document, "patch": json.dumps(patch)}
    return client.post(address(by), form)


def stored(name: str = "Menu") -> Any:
    return Document.objects.get(function__name=name).value


def test_the_author_changes_a_document_through_a_page(
    client: Client, menu: Function, worker: Drainer
) -> None:
    assert send(client, {"dish": "stew"}).status_code == 303
    assert stored()["dish"] == "soup"  # until it is judged
    worker.drain()
    assert stored() == {"dish": "stew", "n": 0, "in": {"key": "City"}}
    assert client.get(address()).content == b"stew"
    revision = DocumentRevision.objects.latest("pk")
    assert (revision.state, revision.editor.username) == ("shown", "ana")
    applied = AppliedRequest.objects.get()
    assert applied.commands == [{"revise": "Menu", "patch": {"dish": "stew"}}]
    client.post(address(), {"more": "1"})
    worker.drain()
    assert stored()["n"] == 1


def test_tests_decide_whether_the_change_is_shown(
    client: Client, menu: Function, publish: Publish, worker: Drainer
) -> None:
    publish("Menu", 'assert data["n"] < 2', model=Test)
    assert send(client, {"n": 2}).status_code == 303
    worker.drain()
    assert stored()["n"] == 0
    assert DocumentRevision.objects.latest("pk").state == "refused"


@pytest.mark.parametrize(
    ("by", "document", "patch", "status", "said"),
    [
        ("otto", "Menu", {"n": 1}, 403, "only they may revise it"),
        ("ana", "Theirs", {"of": "ana"}, 403, "belongs to somebody else"),
        ("ana", "Unnamed", {"n": 1}, 403, "which it doesn&#x27;t name"),
        ("ana", "Menu", {"in": {"name": "Basel"}}, 422, "in is part of City"),
        ("ana", "Menu", {"n": 0}, 422, "This is what the document has already"),
        ("ana", "Patch", {"n": 1}, 404, "There is no document Patch"),
        ("ana", "Absent", {"n": 1}, 404, "There is no document Absent"),
    ],
)
def test_what_a_page_may_not_change_is_refused(
    client: Client, menu: Function, by: str, document: str, patch: Any, status: int, said: str
) -> None:
    answer = send(client, patch, by=by, document=document)
    assert (answer.status_code, said in answer.content.decode()) == (status, True)
    assert not DocumentRevision.objects.exists()
    assert not AppliedRequest.objects.exists()


def test_one_revision_is_judged_at_a_time(client: Client, menu: Function) -> None:
    send(client, {"n": 1})
    answer = send(client, {"n": 2})
    assert (answer.status_code, "is being judged" in answer.content.decode()) == (409, True)
    assert AppliedRequest.objects.count() == 1


def test_a_change_is_made_to_the_version_that_was_used(menu: Function, worker: Drainer) -> None:
    versions = current_versions("Board")
    commands = [{"revise": "menu", "patch": {"n": 1}}]
    apply_commands(actor=account("ana"), versions=versions, request_id="1", commands=commands)
    worker.drain()
    with pytest.raises(Outdated):
        apply_commands(actor=account("ana"), versions=versions, request_id="2", commands=commands)
    assert AppliedRequest.objects.count() == 1


def test_a_page_is_rendered_again_with_a_version_that_was_shown_in_between(
    client: Client, menu: Function, worker: Drainer
) -> None:
    visit = Visit(page_versions("Board"), account("ana"))
    send(client, {"n": 7})
    worker.drain()
    request = PageRequest("POST", "", {}, {"more": "1"}, "one-more")
    assert answer_visit(visit, request, address="127.0.0.1", with_data=False).status == 303
    worker.drain()
    assert stored()["n"] == 8


def test_no_change_is_lost_or_made_twice_by_those_who_press_at_once(
    menu: Function, worker: Drainer
) -> None:
    made: list[int] = []
    refused: set[str] = set()

    def press(number: int) -> None:
        if number == 0:
            for _ in range(30):
                worker.drain()
            return
        ana = User.objects.get(username="ana")
        for _ in range(6):
            try:
                call_and_apply(actor=ana, name="Count", arguments={})
            except Refusal as refusal:
                refused.add(refusal.code)
            else:
                made.append(number)

    run_together(press, range(4))
    worker.drain()
    assert made
    assert refused <= {"revision_pending", "precondition_failed"}
    assert stored()["n"] == len(made)


def test_a_page_follows_the_documents_that_it_names(
    client: Client, menu: Function, worker: Drainer
) -> None:
    shown = client.get("/functions/Board/open/").content.decode()
    assert f'"topic": "{menu.topic}"' in shown
    told = Event.objects.filter(topic__name=menu.topic, type="standing.changed")
    before = told.count()
    send(client, {"n": 1})
    assert told.count() == before
    worker.drain()
    assert told.count() > before
