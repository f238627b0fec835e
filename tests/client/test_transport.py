"""Requests: repeated where that does no harm, and refused in words."""

from dataclasses import dataclass, field

import httpx2
import pytest

from socialcode_client import (
    CallFailed,
    Client,
    Conflict,
    NotFound,
    NotReachable,
    NotSignedIn,
    SiteFault,
    StillOpen,
    TooOften,
)
from socialcode_client.transport import Patience, retry_after_of

PROBLEM = {"Content-Type": "application/problem+json"}


def refusal(status: int, code: str, **headers: str) -> httpx2.Response:
    body = {"status": status, "code": code, "detail": f"It is {code}.", "errors": []}
    return httpx2.Response(status, json=body, headers={**PROBLEM, **headers})


@dataclass
class Wire:
    """Answers requests in turn, and notes them and the pauses in between."""

    answers: list[httpx2.Response | Exception]
    asked: list[httpx2.Request] = field(default_factory=list)
    pauses: list[float] = field(default_factory=list)

    def client(self, tries: int = 4) -> Client:
        patience = Patience(tries=tries, sleep=self.pauses.append)
        transport = httpx2.MockTransport(self._answer)
        return Client(
            "https://social.example/", "sc_secret", patience=patience, transport=transport
        )

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        self.asked.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def batch(state: str) -> httpx2.Response:
    shown = {"id": 3, "cause": "publish", "state": state, "total": 1, "executed": 1}
    return httpx2.Response(200, json={**shown, "tasks": {"pending": 1}, "verdicts": {"passed": 0}})


def test_a_site_that_is_busy_is_asked_again_when_it_says() -> None:
    wire = Wire([refusal(429, "too_many_requests", **{"Retry-After": "7"}), batch("complete")])
    assert wire.client().batch(3).state == "complete"
    assert wire.pauses == [7]
    assert wire.asked[0].headers["Authorization"] == "Bearer sc_secret"


def test_nobody_waits_for_longer_than_they_want() -> None:
    wire = Wire([refusal(429, "too_many_requests", **{"Retry-After": "3600"})])
    with pytest.raises(TooOften) as refused:
        wire.client().batch(3)
    assert refused.value.retry_after == 3600
    assert wire.pauses == []


def test_what_makes_something_is_repeated_under_the_same_key() -> None:
    lost = httpx2.ReadTimeout("no answer")
    wire = Wire([lost, refusal(502, ""), httpx2.Response(202, json={"batch": 12})])
    assert wire.client().publish("tests", 7) == 12
    keys = {request.headers["Idempotency-Key"] for request in wire.asked}
    assert len(keys) == 1
    wire = Wire([lost, refusal(409, "name_taken")])
    with pytest.raises(Conflict):
        wire.client().define("Add")
    assert {request.headers["Idempotency-Key"] for request in wire.asked}.isdisjoint(keys)


def test_what_might_be_done_twice_is_not_repeated() -> None:
    wire = Wire([httpx2.ReadTimeout("no answer")])
    with pytest.raises(NotReachable):
        wire.client().create_token("mira", "secret")
    wire = Wire([refusal(502, "")])
    with pytest.raises(SiteFault):
        wire.client().save_test(7, "assert True\n")


def test_what_was_surely_not_done_is_repeated() -> None:
    defined = refusal(409, "name_taken")
    wire = Wire([httpx2.ConnectError("refused"), refusal(503, "busy"), defined])
    with pytest.raises(Conflict) as refused:
        wire.client().define("Add")
    assert refused.value.code == "name_taken"
    assert len(wire.asked) == 3


def test_it_gives_up_after_some_tries() -> None:
    wire = Wire([httpx2.ConnectError("refused") for _ in range(3)])
    with pytest.raises(NotReachable, match=r"social\.example can't be reached: refused"):
        wire.client(tries=3).function("Add")
    assert len(wire.pauses) == 2


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (refusal(401, "invalid_token"), NotSignedIn),
        (refusal(404, "not_found"), NotFound),
        (refusal(422, "call_failed"), CallFailed),
        (refusal(412, "edit_conflict"), Conflict),
        (httpx2.Response(404, text="<html>", headers={"Content-Type": "text/html"}), NotFound),
        (httpx2.Response(301, headers={"Location": "https://other.example/"}), NotReachable),
    ],
)
def test_a_refusal_is_an_exception(answer: httpx2.Response, error: type[Exception]) -> None:
    with pytest.raises(error):
        Wire([answer]).client().function("Add")


def test_a_problem_keeps_its_mistakes() -> None:
    mistake = {"field": "code", "code": "syntax_error", "message": "no", "line": 2, "column": 5}
    body = {"code": "syntax_error", "detail": "Line 2: no", "errors": [mistake]}
    wire = Wire([httpx2.Response(422, json=body, headers=PROBLEM)])
    with pytest.raises(Exception, match="Line 2: no") as refused:
        wire.client().draft_test("Add", "(")
    (found,) = refused.value.mistakes  # type: ignore[attr-defined]
    assert (found.line, found.column, found.message) == (2, 5, "no")


def test_waiting_for_a_batch_pauses_where_the_site_does_not_wait() -> None:
    wire = Wire([batch("open"), batch("open"), batch("complete")])
    seen: list[str] = []
    assert wire.client().wait(3, watch=lambda one: seen.append(one.state)).state == "complete"
    assert seen == ["open", "open", "complete"]
    assert len(wire.pauses) == 2
    assert dict(wire.asked[0].url.params) == {"wait": "30"}


def test_waiting_ends_after_a_time() -> None:
    with pytest.raises(StillOpen):
        Wire([batch("open"), batch("open")]).client().wait(3, seconds=0)


def test_a_list_is_read_page_by_page() -> None:
    change = {"name": "Add", "former": 1, "latter": 2}
    task = {"id": 1, "batch": 3, "key": "k", "state": "succeeded", "verdict": "passed"}
    task |= {"message": "", "line": None, "implementation": 1, "test": None}
    pages = [{"items": [task], "next": "abc"}, {"items": [task], "next": None}]
    wire = Wire([httpx2.Response(200, json=page) for page in [*pages, {"items": [change]}]])
    client = wire.client()
    assert len(list(client.tasks(3))) == 2
    assert wire.asked[1].url.params["cursor"] == "abc"
    assert client.changes("Add", "2026-05-01")[0].latter == 2


def test_names_are_kept_within_their_segment_of_the_address() -> None:
    wire = Wire([refusal(404, "not_found")])
    with pytest.raises(NotFound):
        wire.client().function("../tokens")
    assert wire.asked[0].url.raw_path == b"/api/v1/functions/..%2Ftokens/"


def test_retry_after_is_a_number_or_a_time() -> None:
    assert retry_after_of({"Retry-After": "12"}) == 12
    assert retry_after_of({"Retry-After": "Fri, 31 Dec 1999 23:59:59 GMT"}) == 0
    assert retry_after_of({"Retry-After": "soon"}) is None
    assert retry_after_of({}) is None
