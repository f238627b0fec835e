"""A change in between is not overwritten, and what is unchanged is not read again."""

from typing import Any

import pytest

from functions.models import Function, Implementation, Profile
from tests.functions.api.conftest import Caller, assert_problem
from tests.functions.api.test_works import GOOD, begin, both, publish
from tests.support import builders as make
from tests.support.threads import run_together


@both
def test_a_draft_is_changed_only_as_it_was_read(mira: Caller, add: Function, noun: str) -> None:
    path = f"/{noun}/{begin(mira, noun)['id']}/"
    read = mira.get(path)["ETag"]
    saved = mira.call("PUT", path, {"code": "# new"}, **{"If-Match": read})
    assert (saved.status_code, saved.json()["code"], saved.json()["title"]) == (200, "# new", "")
    assert saved["ETag"] == mira.get(path)["ETag"] != read
    for method, body in (("PUT", {"code": "x"}), ("PATCH", {"title": "x"}), ("DELETE", None)):
        refused = mira.call(method, path, body, **{"If-Match": read})
        assert_problem(refused, 412, "precondition_failed")
    # What keeps a draft from running is told when it is saved.
    assert mira.get(path).json() == {**saved.json(), "problems": None}
    several = f'"1-1", {saved["ETag"]}'
    assert mira.call("PATCH", path, {"title": "x"}, **{"If-Match": several}).status_code == 200
    # As compression sends it back.
    weak = f"W/{mira.get(path)['ETag']}"
    assert mira.call("PATCH", path, {"title": "y"}, **{"If-Match": weak}).status_code == 200
    assert mira.call("DELETE", path, **{"If-Match": "*"}).status_code == 204


def test_the_draft_of_an_acceptance_test_is_changed_only_as_it_was_read(
    mira: Caller, otto: Caller, add: Function
) -> None:
    user = make.function("User", owner=mira.user)
    make.dependency(make.implementation(user), "Add", add)
    begun = mira.post(
        "/acceptance-tests/", {"function": "User", "target": "Add", "code": "assert Add(1, 2) == 3"}
    )
    path = f"/acceptance-tests/{begun.json()['id']}/"
    read = mira.get(path)["ETag"]
    assert mira.get(path, **{"If-None-Match": read}).status_code == 304
    saved = mira.call("PATCH", path, {"title": "new"}, **{"If-Match": read})
    assert (saved.status_code, saved["ETag"] != read) == (200, True)
    refused = mira.call("PATCH", path, {"title": "other"}, **{"If-Match": read})
    assert_problem(refused, 412, "precondition_failed")
    assert_problem(otto.call("PATCH", path, {}, **{"If-Match": read}), 404, "not_found")
    assert mira.get(path).json()["title"] == "new"


@both
def test_a_version_in_the_body_conflicts_as_before(mira: Caller, add: Function, noun: str) -> None:
    path = f"/{noun}/{begin(mira, noun)['id']}/"
    assert mira.put(path, {"code": "# 1", "version": 0}).status_code == 200
    assert_problem(mira.put(path, {"code": "# 2", "version": 0}), 409, "edit_conflict")
    assert_problem(mira.put(path, {"title": "no code"}), 400, "malformed")


@both
def test_nobody_learns_of_others_drafts_by_their_tags(
    mira: Caller, otto: Caller, add: Function, noun: str
) -> None:
    path = f"/{noun}/{begin(mira, noun)['id']}/"
    for tag in (mira.get(path)["ETag"], '"1-99"'):
        refused = otto.call("PUT", path, {"code": "x"}, **{"If-Match": tag})
        assert_problem(refused, 404, "not_found")


@both
def test_an_unchanged_work_is_not_read_again(
    mira: Caller, otto: Caller, add: Function, noun: str
) -> None:
    work = publish(mira, noun)
    path = f"/{noun}/{work}/"
    tag = otto.get(path)["ETag"]
    assert otto.get(path, **{"If-None-Match": tag}).status_code == 304
    otto.put(f"{path}vote/", {"value": 1})
    assert otto.get(path, **{"If-None-Match": tag}).json()["score"] == 1
    assert_problem(mira.call("PUT", path, {"code": GOOD[noun]}), 409, "not_a_draft")


def test_a_definition_is_changed_only_as_it_was_read(mira: Caller, add: Function) -> None:
    path = "/functions/Add/"
    read = mira.get(path)["ETag"]
    # What others do is no change of the definition, but is read.
    make.test_of(add)
    assert mira.get(path, **{"If-None-Match": read}).status_code == 200
    changed = mira.call("PATCH", path, {"description": "A sum."}, **{"If-Match": read})
    assert changed.status_code == 200
    assert mira.get(path, **{"If-None-Match": changed["ETag"]}).status_code == 304
    for method, body in (("PATCH", {"signature": "(x)"}), ("DELETE", None)):
        refused = mira.call(method, path, body, **{"If-Match": read})
        assert_problem(refused, 412, "precondition_failed")
    assert mira.get(path).json()["signature"] == "(a, b)"
    assert mira.call("DELETE", path, **{"If-Match": changed["ETag"]}).status_code == 204


def test_a_profile_is_replaced_only_as_it_was_read(mira: Caller, nobody: Caller) -> None:
    path, body = "/profile/", {"about": "Me.", "links": []}
    none = mira.get(path)
    assert none.json() == {"about": "", "links": []}
    assert mira.call("PUT", path, body, **{"If-Match": none["ETag"]}).status_code == 200
    refused = mira.call("PUT", path, {"about": "Us."}, **{"If-Match": none["ETag"]})
    assert_problem(refused, 412, "precondition_failed")
    present = mira.get(path)
    assert present.json() == body
    assert mira.get(path, **{"If-None-Match": present["ETag"]}).status_code == 304
    assert_problem(nobody.get(path), 401, "nobody")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("what", ["draft", "definition", "profile"])
def test_of_changes_at_once_one_is_made_and_the_others_are_told(what: str) -> None:
    owner = make.user("mira", password="x")
    function = make.function("Add", owner=owner)
    draft = make.implementation(function, author=owner, state="draft")
    path, body = {
        "draft": (f"/implementations/{draft.pk}/", "code"),
        "definition": ("/functions/Add/", "description"),
        "profile": ("/profile/", "about"),
    }[what]
    mira = Caller(owner)
    tag = mira.get(path)["ETag"]
    method = "PATCH" if what == "definition" else "PUT"

    def change(text: str) -> Any:
        caller = Caller()
        caller.headers = mira.headers
        return caller.call(method, path, {body: text}, **{"If-Match": tag})

    texts = ["# one", "# two", "# three"]
    answers = run_together(change, texts)
    made = [answer for answer in answers if answer.status_code == 200]
    assert len(made) == 1
    assert [one.status_code for one in answers if one not in made] == [412, 412]
    assert made[0].json()[body] == mira.get(path).json()[body]


@pytest.mark.django_db(transaction=True)
def test_changes_of_a_signature_and_of_a_description_at_once_are_both_kept() -> None:
    owner = make.user("mira", password="x")
    function, mira = make.function("Add", owner=owner), Caller(owner)

    def change(body: dict[str, str]) -> int:
        caller = Caller()
        caller.headers = mira.headers
        return int(caller.patch("/functions/Add/", body).status_code)

    for number in range(3):
        new = {"signature": f"(a{number})", "description": f"{number}"}
        bodies = [{name: value} for name, value in new.items()]
        assert run_together(change, bodies) == [200, 200]
        function.refresh_from_db()
        assert {"signature": function.signature, "description": function.description} == new
    assert Implementation.objects.count() == Profile.objects.count() == 0
