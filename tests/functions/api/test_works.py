"""Drafts are begun, changed, run and published; published work is voted on."""

from typing import Any

import pytest

from functions.models import Function, Implementation, Test
from runner.models import Batch
from runner.states import BatchState
from tests.functions.api.conftest import Caller, assert_problem
from tests.functions.api.test_functions import IMPLEMENTATION, TEST
from tests.support import builders as make

NOUNS = ("implementations", "tests")
GOOD = {"implementations": "def Add(a, b):\n    return a + b\n", "tests": "assert Add(1, 2) == 3\n"}
both = pytest.mark.parametrize("noun", NOUNS)


def begin(caller: Caller, noun: str, code: str = "", **fields: Any) -> dict[str, Any]:
    """Begin a draft; return it."""
    response = caller.post(f"/functions/add/{noun}/", {"code": code or GOOD[noun], **fields})
    assert response.status_code == 201, response.content
    draft: dict[str, Any] = response.json()
    return draft


def publish(caller: Caller, noun: str, code: str = "") -> int:
    """Publish new work; return its id."""
    work = int(begin(caller, noun, code)["id"])
    assert caller.post(f"/{noun}/{work}/publish/").status_code == 202
    return work


@both
def test_a_draft_is_begun(mira: Caller, add: Function, noun: str) -> None:
    draft = begin(mira, noun, title="plain")
    assert draft.keys() >= (IMPLEMENTATION if noun == "implementations" else TEST)
    assert (draft["function"], draft["author"], draft["title"]) == ("Add", "mira", "plain")
    assert (draft["state"], draft["published_at"], draft["based_on"]) == ("draft", None, None)
    assert draft["code"] == GOOD[noun]
    assert (draft["score"], draft["acceptable"], draft["depends_on"]) == (0, True, [])


@both
def test_a_draft_remembers_what_it_was_copied_from(
    mira: Caller, otto: Caller, add: Function, noun: str
) -> None:
    origin = publish(mira, noun)
    assert begin(otto, noun, based_on=origin)["based_on"] == origin


@both
def test_nobody_builds_on_what_they_cannot_see(
    mira: Caller, otto: Caller, add: Function, noun: str
) -> None:
    hidden = begin(mira, noun)["id"]
    for origin in (hidden, 999_999, -1, 2**70):
        body = {"code": "x", "based_on": origin}
        response = otto.post(f"/functions/Add/{noun}/", body)
        problem = assert_problem(response, 422, "invalid_based_on")
        assert [error["field"] for error in problem["errors"]] == ["based_on"]


@both
def test_a_draft_for_no_function_is_not_begun(mira: Caller, noun: str) -> None:
    response = mira.post(f"/functions/Missing/{noun}/", {"code": "x = 1"})
    assert_problem(response, 404, "not_found")


@both
def test_a_draft_is_changed_in_part_and_kept_even_unparsable(
    mira: Caller, add: Function, noun: str
) -> None:
    draft = begin(mira, noun, title="first")
    changed = mira.patch(f"/{noun}/{draft['id']}/", {"code": "def ("})
    assert changed.status_code == 200
    assert (changed.json()["code"], changed.json()["title"]) == ("def (", "first")
    renamed = mira.patch(f"/{noun}/{draft['id']}/", {"title": "second"}).json()
    assert (renamed["code"], renamed["title"]) == ("def (", "second")


def test_a_change_to_an_older_version_overwrites_nothing(mira: Caller, add: Function) -> None:
    draft = begin(mira, "implementations")
    path = f"/implementations/{draft['id']}/"
    mira.patch(path, {"code": "newer", "version": draft["version"]})
    conflict = mira.patch(path, {"code": "older", "version": draft["version"]})
    assert_problem(conflict, 409, "edit_conflict")
    assert Implementation.objects.get().code == "newer"


@both
def test_publishing_starts_a_batch_and_ends_the_draft(
    mira: Caller, nobody: Caller, add: Function, noun: str
) -> None:
    draft = begin(mira, noun)["id"]
    response = mira.post(f"/{noun}/{draft}/publish/")
    assert response.status_code == 202
    assert nobody.get(f"/batches/{response.json()['batch']}/").status_code == 200
    (work,) = nobody.get("/functions/Add/").json()[noun]
    assert (work["id"], work["state"], work["number"]) == (draft, "published", 1)
    assert work["published_at"].endswith("Z")
    assert_problem(mira.post(f"/{noun}/{draft}/publish/"), 409, "not_a_draft")
    assert_problem(mira.patch(f"/{noun}/{draft}/", {"code": "x"}), 409, "not_a_draft")
    assert_problem(mira.post(f"/{noun}/{draft}/run/"), 409, "not_a_draft")


@both
def test_the_same_request_to_publish_gives_the_same_batch(
    mira: Caller, add: Function, noun: str
) -> None:
    draft, other = begin(mira, noun)["id"], begin(mira, noun, "y = 2\n")["id"]
    key = {"Idempotency-Key": "one"}
    first = mira.post(f"/{noun}/{draft}/publish/", **key)
    again = mira.post(f"/{noun}/{draft}/publish/", **key)
    assert (again.status_code, again.json()) == (202, first.json())
    assert_problem(mira.post(f"/{noun}/{other}/publish/", **key), 409, "request_conflict")
    too_long = mira.post(f"/{noun}/{other}/publish/", **{"Idempotency-Key": "x" * 101})
    assert_problem(too_long, 400, "malformed")


@pytest.mark.parametrize(
    ("code", "problem_code", "line"),
    [
        ("def Add(a, b:\n  return", "syntax_error", 1),
        ("x = 1\ny = = 2\n", "syntax_error", 2),
        ("# <<no name>>\nx = 1\n", "invalid_marker", 1),
        ("\n# only this\n", "empty_code", None),
        ("", "empty_code", None),
    ],
)
@both
def test_what_cannot_be_published_says_why_and_where(
    mira: Caller, add: Function, noun: str, code: str, problem_code: str, line: int | None
) -> None:
    draft = begin(mira, noun)["id"]
    mira.patch(f"/{noun}/{draft}/", {"code": code})
    for verb in ("publish", "run"):
        problem = assert_problem(mira.post(f"/{noun}/{draft}/{verb}/"), 422, problem_code)
        (error, *_) = problem["errors"]
        assert (error["field"], error["line"]) == ("code", line)
    assert (Implementation if noun == "implementations" else Test).objects.get().code == code


@both
def test_a_draft_runs_for_its_author_alone(
    mira: Caller, otto: Caller, nobody: Caller, staff: Caller, add: Function, noun: str
) -> None:
    publish(mira, "implementations" if noun == "tests" else "tests")
    draft = begin(mira, noun)["id"]
    response = mira.post(f"/{noun}/{draft}/run/")
    assert response.status_code == 202
    batch = response.json()["batch"]
    assert mira.get(f"/batches/{batch}/").json()["total"] >= 1
    for other in (otto, nobody, staff):
        assert_problem(other.get(f"/batches/{batch}/"), 404, "not_found")


@both
def test_votes_are_counted_changed_and_taken_back(
    mira: Caller, otto: Caller, staff: Caller, nobody: Caller, add: Function, noun: str
) -> None:
    work = publish(mira, noun)
    path = f"/{noun}/{work}/vote/"
    for caller, value, score in (
        *((otto, 1, 1), (otto, 1, 1), (staff, 1, 2), (otto, -1, 0), (otto, 0, 1)),
    ):
        response = caller.put(path, {"value": value})
        shown = {"score": score, "agent_score": 0, "apart": False}
        assert (response.status_code, response.json()) == (200, shown)
    assert nobody.get("/functions/Add/").json()[noun][0]["score"] == 1


@both
def test_a_vote_that_breaks_a_rule_is_refused(
    mira: Caller, otto: Caller, add: Function, noun: str
) -> None:
    path = f"/{noun}/{publish(mira, noun)}/vote/"
    assert_problem(mira.put(path, {"value": 1}), 422, "own_work")
    for value in (2, -2, 2**80):
        assert_problem(otto.put(path, {"value": value}), 422, "invalid_value")
    for no_number in ("1", 1.0, True, None, [1]):
        assert_problem(otto.put(path, {"value": no_number}), 400, "malformed")
    assert_problem(otto.put(path, {}), 400, "malformed")


@both
@pytest.mark.parametrize("body", ["[]", "null", '{"code": null}', '{"title": null}', "{bad", "1"])
def test_a_change_that_is_no_object_of_texts_is_malformed(
    mira: Caller, add: Function, noun: str, body: str
) -> None:
    draft = begin(mira, noun)["id"]
    assert_problem(mira.call("PATCH", f"/{noun}/{draft}/", body), 400, "malformed")


@both
@pytest.mark.parametrize("call", ["publish", "run"])
def test_nothing_starts_on_a_body_that_is_no_object(
    mira: Caller, add: Function, noun: str, call: str
) -> None:
    path = f"/{noun}/{begin(mira, noun)['id']}/{call}/"
    for body in ("{bad", "[]", "null", "[" * 100_000, b"\xff"):
        assert_problem(mira.post(path, body), 400, "malformed")
    assert not Batch.objects.exists()
    assert mira.post(path, {}).status_code == 202


@both
def test_the_same_request_to_run_gives_the_same_batch_whatever_was_published_since(
    mira: Caller, otto: Caller, add: Function, noun: str
) -> None:
    draft, key = begin(mira, noun)["id"], {"Idempotency-Key": "k"}
    first = mira.post(f"/{noun}/{draft}/run/", **key)
    publish(otto, "implementations")
    publish(otto, "tests")
    again = mira.post(f"/{noun}/{draft}/run/", **key)
    assert (again.status_code, again.json()) == (202, first.json())
    mira.patch(f"/{noun}/{draft}/", {"code": "Add = check"})
    assert_problem(mira.post(f"/{noun}/{draft}/run/", **key), 409, "request_conflict")


@both
@pytest.mark.parametrize("call", ["publish", "run"])
def test_what_is_not_there_can_neither_be_run_nor_published(
    mira: Caller, add: Function, noun: str, call: str
) -> None:
    for pk in (999_999, 2**70):
        assert_problem(mira.post(f"/{noun}/{pk}/{call}/"), 404, "not_found")
    assert_problem(mira.post(f"/{noun}/x/{call}/"), 404, "not_found")


@both
def test_work_on_a_deleted_function_is_not_there(
    mira: Caller, otto: Caller, add: Function, noun: str
) -> None:
    work = publish(mira, noun)
    Function.objects.update(deleted_at=make.SINCE)
    assert_problem(mira.patch(f"/{noun}/{work}/", {"code": "x"}), 404, "not_found")
    assert_problem(otto.put(f"/{noun}/{work}/vote/", {"value": 1}), 404, "not_found")


@both
def test_a_draft_of_a_deleted_function_is_kept_and_saved_and_says_why_it_does_not_run(
    mira: Caller, otto: Caller, add: Function, noun: str
) -> None:
    draft = begin(mira, noun)["id"]
    Function.objects.update(deleted_at=make.SINCE)
    assert mira.patch(f"/{noun}/{draft}/", {"code": "x = 1"}).json()["code"] == "x = 1"
    for call in ("run", "publish"):
        assert_problem(mira.post(f"/{noun}/{draft}/{call}/"), 409, "function_deleted")
        assert_problem(otto.post(f"/{noun}/{draft}/{call}/"), 404, "not_found")


def test_a_batch_that_has_ended_says_when(nobody: Caller, add: Function) -> None:
    batch = make.batch(add.topic, make.execution(), make.execution(verdict="failed"))
    shown = nobody.get(f"/batches/{batch.pk}/").json()
    assert Batch.objects.get(pk=batch.pk).state == BatchState.COMPLETE
    assert shown["tasks"] == {
        **dict.fromkeys(("waiting", "pending", "in_progress", "failed", "ignored", "cancelled"), 0),
        "succeeded": 2,
    }
    assert (shown["verdicts"]["passed"], shown["verdicts"]["failed"]) == (1, 1)
    assert (shown["state"], shown["total"], shown["executed"]) == ("complete", 2, 2)
    assert (shown["parent"], shown["all_tasks_loaded"]) == (None, True)
    assert shown["created_at"] <= shown["finished_at"]
    assert shown["cause"] == "a test"


@pytest.mark.parametrize("path", ["/batches/999999/", "/batches/x/", f"/batches/{2**70}/"])
def test_a_batch_that_is_not_there_is_a_problem(nobody: Caller, path: str) -> None:
    assert_problem(nobody.get(path), 404, "not_found")
