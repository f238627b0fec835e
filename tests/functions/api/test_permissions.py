"""Who may call what: every operation, by everybody there is."""

from dataclasses import dataclass
from typing import Any

import pytest
from django.contrib.auth.models import User

from functions.models import Function, Implementation, Test
from tests.functions.api.conftest import Caller, assert_problem
from tests.functions.api.test_works import NOUNS, begin, publish
from tests.support import builders as make

MODELS = {"implementations": Implementation, "tests": Test}
FORBIDDEN = {401: "nobody", 403: "not_yours", 404: "not_found", 409: "not_a_draft", 422: "own_work"}


@dataclass(frozen=True)
class Call:
    """A call on work, and what its author and everybody else who is signed in get."""

    method: str
    path: str
    body: dict[str, Any] | None
    author: int
    others: int

    def on(self, caller: Caller, noun: str, work: int) -> Any:
        return caller.call(self.method, f"/{noun}/{work}{self.path}", self.body)


ON_DRAFTS = [
    Call("PATCH", "/", {"title": "changed"}, 200, 404),
    Call("POST", "/run/", None, 202, 404),
    Call("POST", "/publish/", None, 202, 404),
    Call("PUT", "/vote/", {"value": 1}, 422, 404),
]
ON_PUBLISHED = [
    Call("PATCH", "/", {"title": "changed"}, 409, 403),
    Call("POST", "/run/", None, 409, 403),
    Call("POST", "/publish/", None, 409, 403),
    Call("PUT", "/vote/", {"value": 1}, 422, 200),
]


@pytest.fixture
def author(db: None) -> Caller:
    return Caller(make.user("author"))


@pytest.fixture
def signed_in(mira: Caller, otto: Caller, staff: Caller) -> list[Caller]:
    """The function's owner, some user, and staff."""
    return [mira, otto, staff]


@pytest.fixture
def shut_out(nobody: Caller) -> list[tuple[Caller, str]]:
    """Those who write nothing at all, with the code that they are told."""
    suspended = Caller(make.user("suspended"))
    User.objects.filter(username="suspended").update(is_active=False)
    return [(nobody, "nobody"), (suspended, "suspended")]


def snapshot_of(noun: str) -> list[dict[str, Any]]:
    return list(MODELS[noun].objects.order_by("pk").values())  # type: ignore[attr-defined]


@pytest.mark.parametrize("noun", NOUNS)
@pytest.mark.parametrize("call", ON_DRAFTS, ids=lambda call: call.method + call.path)
def test_a_draft_is_its_authors_alone(
    author: Caller,
    signed_in: list[Caller],
    shut_out: list[tuple[Caller, str]],
    add: Function,
    noun: str,
    call: Call,
) -> None:
    draft = begin(author, noun)["id"]
    before = snapshot_of(noun)
    for other in signed_in:
        problem = assert_problem(call.on(other, noun, draft), call.others, FORBIDDEN[call.others])
        assert before[0]["code"] not in str(problem)
    for other, code in shut_out:
        assert_problem(call.on(other, noun, draft), 401, code)
    assert snapshot_of(noun) == before
    assert call.on(author, noun, draft).status_code == call.author


@pytest.mark.parametrize("noun", NOUNS)
@pytest.mark.parametrize("call", ON_PUBLISHED, ids=lambda call: call.method + call.path)
def test_published_work_is_changed_by_nobody_and_voted_on_by_others(
    author: Caller,
    signed_in: list[Caller],
    shut_out: list[tuple[Caller, str]],
    add: Function,
    noun: str,
    call: Call,
) -> None:
    work = publish(author, noun)
    for other, code in shut_out:
        assert_problem(call.on(other, noun, work), 401, code)
    assert_problem(call.on(author, noun, work), call.author, FORBIDDEN[call.author])
    for other in signed_in:
        response = call.on(other, noun, work)
        assert response.status_code == call.others
    (row,) = snapshot_of(noun)
    assert (row["title"], row["state"]) == ("", "published")
    assert row["score"] == (len(signed_in) if call.path == "/vote/" else 0)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/functions/", {"name": "Halve", "signature": "", "description": ""}),
        ("/functions/Add/implementations/", {"code": "x = 1\n"}),
        ("/functions/Add/tests/", {"code": "x = 1\n"}),
    ],
)
def test_everybody_with_an_account_may_begin_and_nobody_else(
    signed_in: list[Caller],
    shut_out: list[tuple[Caller, str]],
    add: Function,
    path: str,
    body: dict[str, str],
) -> None:
    for caller, code in shut_out:
        assert_problem(caller.post(path, body), 401, code)
    assert signed_in[1].post(path, body).status_code == 201


def test_who_may_not_write_is_told_so_before_what_is_wrong_with_it(nobody: Caller) -> None:
    for body in ("{", '{"name": 1}', "x" * 3_000_000):
        assert_problem(nobody.post("/functions/", body), 401, "nobody")


def test_a_deleted_name_that_code_still_names_is_its_last_owners(
    mira: Caller, otto: Caller, staff: Caller, add: Function
) -> None:
    make.dependency(make.implementation(make.function("Multiply")), "Add", add)
    Function.objects.filter(pk=add.pk).update(deleted_at=make.SINCE)
    body = {"name": "Add", "signature": "", "description": ""}
    assert_problem(otto.post("/functions/", body), 403, "name_guarded")
    assert mira.post("/functions/", body).status_code == 201
    assert staff.get("/functions/Add/").json()["owner"] == "mira"
