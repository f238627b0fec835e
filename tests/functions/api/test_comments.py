"""Comments over REST: everything that the pages do."""

from typing import Any

import pytest

from functions.models import Function
from tests.functions.api.conftest import API, Caller, assert_problem
from tests.functions.api.test_openapi import conforms, schema  # noqa: F401 - a fixture
from tests.functions.api.test_works import begin, publish
from tests.support import builders as make


@pytest.fixture
def ann(db: None) -> Caller:
    return Caller(make.user("ann"))


def said(answer: Any, status: int = 201) -> dict[str, Any]:
    assert answer.status_code == status, answer.content
    told: dict[str, Any] = answer.json()
    return told


def test_a_comment_is_written_answered_edited_voted_on_hidden_and_deleted(
    mira: Caller,
    otto: Caller,
    ann: Caller,
    nobody: Caller,
    add: Function,
    schema: dict[str, Any],  # noqa: F811
) -> None:
    work = publish(otto, "implementations")
    test = publish(otto, "tests")
    on_work = f"/implementations/{work}/comments/"
    written = ann.post(on_work, {"text": "Why?"})
    comment = said(written)
    one = f"/comments/{comment['id']}"
    assert (comment["function"], comment["implementation"], comment["test"]) == ("Add", work, None)
    assert (comment["author"], comment["text"], comment["parent"]) == ("ann", "Why?", None)
    said(ann.post("/functions/Add/comments/", {"text": "On Add"}))
    said(ann.post(f"/tests/{test}/comments/", {"text": "On the test"}))
    answered = otto.post(f"{one}/replies/", {"text": "So."})
    edited = ann.patch(f"{one}/", {"text": "How?"})
    hidden = mira.post(f"{one}/hide/", {"reason": "Off topic"})
    read = nobody.get(f"{one}/")
    shown = mira.post(f"{one}/show/")
    voted = otto.put(f"{one}/vote/", {"value": 1})
    listed = nobody.get(f"{on_work}?limit=1&order=best")
    everything = nobody.get("/functions/add/comments/?limit=2")
    replies = nobody.get(f"{one}/replies/")
    deleted = ann.call("DELETE", f"{one}/")
    assert said(answered)["parent"] == comment["id"]
    assert said(edited, 200)["edited_at"]
    assert said(hidden, 200)["hidden_by"] == "mira"
    assert (said(read, 200)["text"], said(read, 200)["hidden_reason"]) == (None, "Off topic")
    assert (said(shown, 200)["text"], said(voted, 200)["score"]) == ("How?", 1)
    assert [each["text"] for each in said(listed, 200)["items"]] == ["How?"]
    assert [each["text"] for each in said(everything, 200)["items"]] == ["On the test", "On Add"]
    rest = nobody.get(f"/functions/Add/comments/?cursor={said(everything, 200)['next']}")
    assert [each["text"] for each in said(rest, 200)["items"]] == [None]  # deleted by now
    alone = nobody.get("/functions/Add/comments/?on=function")
    assert [each["text"] for each in said(alone, 200)["items"]] == ["On Add"]
    assert [each["text"] for each in said(replies, 200)["items"]] == ["So."]
    assert deleted.status_code == 204
    assert said(nobody.get(f"{one}/"), 200)["deleted"]
    for method, path, answer in (
        ("POST", "/implementations/{id}/comments/", written),
        ("GET", "/implementations/{id}/comments/", listed),
        ("GET", "/functions/{name}/comments/", everything),
        ("GET", "/functions/{name}/comments/", nobody.get("/functions/Add/comments/?cursor=x")),
        ("GET", "/comments/{id}/replies/", replies),
        ("POST", "/comments/{id}/replies/", answered),
        ("PATCH", "/comments/{id}/", edited),
        ("POST", "/comments/{id}/hide/", hidden),
        ("POST", "/comments/{id}/show/", shown),
        ("PUT", "/comments/{id}/vote/", voted),
    ):
        described = schema["paths"][f"{API}{path}"][method.lower()]["responses"]
        content_type = answer["Content-Type"].partition(";")[0]
        spec = described[str(answer.status_code)]["content"][content_type]["schema"]
        conforms(answer.json(), spec, schema, f"{method} {path}")


def test_what_cannot_be_done_is_told_why(
    otto: Caller, ann: Caller, staff: Caller, nobody: Caller, add: Function
) -> None:
    comment = said(ann.post("/functions/Add/comments/", {"text": "Why?"}))["id"]
    one = f"/comments/{comment}"
    assert_problem(ann.post("/functions/Add/comments/", {"text": " "}), 422, "empty_comment")
    assert_problem(ann.post("/functions/Add/comments/", {"text": 3}), 400, "malformed")
    assert_problem(staff.post(f"{one}/hide/", {"reason": ""}), 422, "empty_reason")
    reply = said(otto.post(f"{one}/replies/", {"text": "So."}))["id"]
    assert_problem(ann.post(f"/comments/{reply}/replies/", {"text": "x"}), 422, "reply_to_reply")
    said(staff.post(f"{one}/hide/", {"reason": "x"}), 200)
    assert_problem(otto.put(f"{one}/vote/", {"value": 1}), 409, "not_published")
    draft = begin(otto, "tests")["id"]
    assert_problem(otto.post(f"/tests/{draft}/comments/", {"text": "x"}), 409, "not_published")
    assert_problem(ann.post(f"/tests/{draft}/comments/", {"text": "x"}), 404, "not_found")
    assert_problem(otto.get(f"/tests/{draft}/comments/"), 404, "not_found")
    for path in ("/comments/999999/", "/functions/Gone/comments/", "/tests/999999/comments/"):
        assert_problem(nobody.get(path), 404, "not_found")
    assert ann.call("DELETE", f"{one}/").status_code == 204
    assert_problem(ann.call("DELETE", f"{one}/"), 409, "comment_deleted")
