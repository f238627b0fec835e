"""Documents are revised by the author of the current one; others compete; all versions stay."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db.models.functions import Now
from django.test import Client
from django.utils.html import strip_tags

from functions.authoring import define_function
from functions.document_revisions import decision
from functions.models import Document, DocumentRevision, Function, Implementation, Notification
from runner.models import FollowUp
from runner.workers.drainer import Drainer
from tests.functions.api.conftest import Caller
from tests.support.works import account, implement, publish_test, vote

pytestmark = pytest.mark.django_db(transaction=True)


class Documents:
    """Documents of ana, asked for and changed through the API."""

    def __init__(self, worker: Drainer) -> None:
        self.worker = worker
        self.ana = Caller(account("ana"))
        self.otto = Caller(account("otto"))

    def publish(self, name: str, value: Any, *, author: str = "ana") -> Implementation:
        function = Function.objects.filter(name=name).first() or define_function(
            actor=account("ana"), name=name, kind="document"
        )
        work = implement(function, json.dumps(value), author=author)
        self.worker.drain()
        return work

    def test(self, name: str, code: str) -> None:
        publish_test(Function.objects.get(name=name), code)
        self.worker.drain()

    def change(
        self, method: str, path: str, body: Any, *, by: Caller | None = None, **headers: str
    ) -> Any:
        answer = (by or self.ana).call(method, f"/documents/{path}", body, **headers)
        self.worker.drain()
        return answer

    def read(self, name: str) -> Any:
        return Caller().get(f"/documents/{name}/").json()


@pytest.fixture
def documents(worker: Drainer) -> Documents:
    return Documents(worker)


def states() -> list[str]:
    return list(DocumentRevision.objects.order_by("pk").values_list("state", flat=True))


def test_the_author_revises_and_any_version_is_restored(documents: Documents) -> None:
    work = documents.publish("Ada", {"name": "Ada", "tags": ["a"]})
    vote(work, up="vera")
    answer = documents.change("PATCH", "Ada/", {"tags": ["a", "b"], "age": 36})
    assert (answer.status_code, answer.json()["changes"][0]["state"]) == (202, "pending")
    assert documents.read("Ada") == {"name": "Ada", "tags": ["a", "b"], "age": 36}
    assert documents.change("PUT", "ada/", [1, 1.0, True]).status_code == 202
    assert documents.read("Ada") == [1, 1.0, True]
    assert documents.change("POST", "Ada/versions/1/restore/", None).status_code == 202
    assert documents.read("Ada") == {"name": "Ada", "tags": ["a"]}
    history = Caller().get("/documents/Ada/versions/").json()["versions"]
    assert [row["number"] for row in history] == [4, 3, 2, 1]
    assert [(one["kind"], one["path"]) for one in history[2]["changes"]] == [
        ("added", "age"),
        ("added", "tags[1]"),
    ]
    assert Caller().get("/documents/Ada/versions/3/").json() == [1, 1.0, True]
    work.refresh_from_db()
    assert (Implementation.objects.count(), work.score, states()) == (1, 1, ["shown"] * 3)
    notices = Notification.objects.filter(user__username="vera")
    assert [one.notice.text[-9:] for one in notices.order_by("pk")] == [
        "version 2",
        "version 3",
        "version 4",
    ]


def test_a_revision_that_fails_a_test_is_refused_and_never_shown(documents: Documents) -> None:
    documents.publish("Ada", {"name": "Ada"})
    documents.test("Ada", 'assert data["name"] == "Ada"')
    documents.change("PATCH", "Ada/", {"name": "Ida"})
    [revision] = DocumentRevision.objects.all()
    assert (revision.state, str(revision.failing)) == ("refused", "T1")
    assert revision.reason.startswith("it does not pass T1: ")
    assert documents.read("Ada") == {"name": "Ada"}
    shown = documents.ana.get("/documents/Ada/versions/").json()["revisions"]
    assert [row["failing"] for row in shown] == [revision.failing_id]
    assert Caller().get("/documents/Ada/versions/").json()["revisions"] == []
    documents.change("PATCH", "Ada/", {"age": 36})
    assert (documents.read("Ada"), states()) == ({"name": "Ada", "age": 36}, ["refused", "shown"])


def test_links_follow_a_revision_and_what_links_it_is_kept_fresh(documents: Documents) -> None:
    documents.publish("Oslo", {"name": "Oslo"})
    documents.publish("Ada", {"city": "nowhere"})
    documents.publish("Note", {"author": {"key": "Ada"}})
    documents.change("PUT", "Ada/", {"city": {"key": "Oslo"}})
    assert documents.read("Note") == {"author": {"city": {"name": "Oslo"}}}
    assert Caller().get("/documents/Note/?expand=0").json() == {"author": {"key": "Ada"}}
    documents.change("PATCH", "Oslo/", {"name": "Bergen"})
    assert documents.read("Note") == {"author": {"city": {"name": "Bergen"}}}


def test_a_template_is_applied_to_a_document_with_its_links(documents: Documents) -> None:
    documents.publish("Oslo", {"name": "Oslo"})
    documents.publish("Ada", {"city": {"key": "Oslo"}})
    kept = {"name": "CityOf", "definition": {"of": "$.city.name"}}
    assert documents.ana.post("/document-templates/", kept).status_code == 201
    applied = documents.ana.post("/document-templates/CityOf/apply/", {"document": "ada"})
    assert applied.json() == {"value": {"of": "Oslo"}}
    assert Caller().get("/documents/?city.name=Oslo").json() == {
        "items": [{"name": "Ada", "value": {"city": {"name": "Oslo"}}}],
        "next": None,
    }
    first = Caller().get("/documents/?limit=1&order=-name").json()
    second = Caller().get(f"/documents/?limit=1&order=-name&cursor={first['next']}").json()
    assert [row["name"] for row in first["items"] + second["items"]] == ["Oslo", "Ada"]


def test_others_compete_with_a_draft_or_a_published_work(documents: Documents) -> None:
    documents.publish("Ada", {"name": "Ada", "age": 36})
    answer = documents.change("PATCH", "Ada/?publish=0", {"age": 37}, by=documents.otto).json()
    assert (answer["batch"], answer["changes"][0]["state"]) == (None, "draft")
    draft = Implementation.objects.get(pk=answer["changes"][0]["work"])
    assert (json.loads(draft.code), draft.state) == ({"name": "Ada", "age": 37}, "draft")
    answer = documents.change("PUT", "Ada/", {"age": 1}, by=documents.otto)
    assert answer.json()["changes"][0]["state"] == "published"
    assert Implementation.objects.filter(state="published").count() == 2


def test_a_change_behind_a_link_is_written_back_to_its_source(documents: Documents) -> None:
    documents.publish("Ada", {"name": "Ada", "city": "London"})
    documents.publish("Ida", {"name": "Ida"}, author="otto")
    documents.publish("Note", {"title": "A", "by": {"key": "Ada"}, "to": {"key": "Ida"}})
    answer = documents.change("PATCH", "Note/", {"title": "B", "by": {"city": "Paris"}})
    assert {one["document"] for one in answer.json()["changes"]} == {"Note", "Ada"}
    assert documents.read("Ada") == {"name": "Ada", "city": "Paris"}
    assert documents.read("Note")["title"] == "B"
    refused = documents.change("PATCH", "Note/", {"title": "C", "to": {"name": "Eve"}})
    assert (refused.status_code, refused.json()["code"]) == (403, "not_your_source")
    assert "to is part of Ida, whose current document is otto's" in refused.json()["detail"]
    assert documents.read("Note")["title"] == "B"


@pytest.mark.parametrize(
    ("method", "body", "status", "code"),
    [
        ("PUT", '{"a": 1, "a": 2}', 422, "syntax_error"),
        ("PUT", "3", 422, "syntax_error"),
        ("PUT", '{"name": 1e999}', 422, "syntax_error"),
        ("PUT", '{"name": "\\u0000"}', 422, "syntax_error"),
        ("PATCH", "{", 422, "invalid_json"),
        ("PATCH", {"name": "Ada"}, 422, "unchanged"),
        ("PATCH", {"name": "x" * 110_000}, 413, "too_large"),
        ("PATCH", {"to": {"key": "9"}}, 422, None),
    ],
)
def test_a_wrong_change_is_refused(
    documents: Documents, method: str, body: Any, status: int, code: str | None
) -> None:
    documents.publish("Ada", {"name": "Ada"})
    answer = documents.change(method, "Ada/", body)
    assert answer.status_code == status, answer.content
    assert code is None or answer.json()["code"] == code
    assert (documents.read("Ada"), states()) == ({"name": "Ada"}, [])


def test_a_client_changes_only_what_it_has_read(documents: Documents) -> None:
    documents.publish("Ada", {"n": 1})
    tag = Caller().get("/documents/Ada/")["ETag"]
    assert Caller().get("/documents/Ada/", **{"If-None-Match": tag}).status_code == 304
    assert documents.change("PATCH", "Ada/", {"n": 2}, **{"If-Match": tag}).status_code == 202
    late = documents.change("PATCH", "Ada/", {"n": 3}, **{"If-Match": tag})
    assert (late.status_code, late.json()["code"]) == (412, "precondition_failed")
    assert documents.read("Ada") == {"n": 2}


def test_one_revision_is_judged_at_a_time(documents: Documents) -> None:
    documents.publish("Ada", {"n": 1})
    assert documents.ana.put("/documents/Ada/", {"n": 2}).status_code == 202
    second = documents.ana.put("/documents/Ada/", {"n": 3})
    assert (second.status_code, second.json()["code"]) == (409, "revision_pending")
    documents.worker.drain()
    assert documents.read("Ada") == {"n": 2}


def test_a_decision_that_is_cut_off_is_made_again_as_a_whole(
    documents: Documents, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents.publish("Ada", {"n": 1})

    def fail(*_args: object, **_given: object) -> None:
        raise RuntimeError("cut off")

    with monkeypatch.context() as cut:
        cut.setattr(decision, "change_uses", fail)
        documents.change("PUT", "Ada/", {"n": 2})
        assert (documents.read("Ada"), states()) == ({"n": 1}, ["pending"])
    FollowUp.objects.update(due_at=Now())
    documents.worker.drain()
    assert (documents.read("Ada"), states()) == ({"n": 2}, ["shown"])


def test_the_page_shows_versions_with_their_changes_and_restores_them(
    documents: Documents,
) -> None:
    documents.publish("Ada", {"n": 1})
    documents.change("PUT", "Ada/", {"n": 2})
    url, browser = "/functions/Ada/versions/", Client()
    assert "Restore" not in browser.get(url).content.decode()
    browser.force_login(User.objects.get(username="ana"))
    page = browser.get(url).content.decode()
    assert "Restore this version" in page
    assert "<del><code>1</code></del> <ins><code>2</code></ins>" in page
    shown = strip_tags(browser.get(f"{url}1/").content.decode())
    assert "&quot;n&quot;: 1" in shown
    assert browser.post(f"{url}1/restore/")["Location"] == url
    documents.worker.drain()
    assert documents.read("Ada") == {"n": 1}
    assert Document.objects.get().value == {"n": 1}
