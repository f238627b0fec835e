"""Notifications, watches and digests over the API."""

from typing import Any

import pytest
from django.core import mail
from django.test import Client

from functions.models import Function, Notice, Notification
from tests.functions.api.conftest import API, Caller, assert_problem
from tests.functions.api.test_openapi import conforms


def notify(function: Function, to: Caller, count: int) -> list[int]:
    notices = [
        Notice.objects.create(function=function, kind="comment", text=str(number), path="#T1")
        for number in range(count)
    ]
    assert to.user
    return [Notification.objects.create(notice=one, user=to.user).pk for one in notices]


def test_a_client_lists_and_reads_what_it_was_told(
    mira: Caller, otto: Caller, add: Function
) -> None:
    ids = notify(add, mira, 3)
    others = notify(add, otto, 1)
    first = mira.get("/notifications/?limit=2").json()
    assert [one["id"] for one in first["items"]] == ids[:0:-1]
    assert first["items"][0]["url"] == "/functions/Add/#T1"
    assert (first["unread"], first["topic"]) == (3, f"user:{mira.user.pk}")  # type: ignore[union-attr]
    rest = mira.get(f"/notifications/?limit=2&cursor={first['next']}").json()
    assert ([one["id"] for one in rest["items"]], rest["next"]) == (ids[:1], None)
    read = mira.post("/notifications/read/", {"ids": [ids[0], others[0]]})
    assert read.json() == {"unread": 2}
    assert len(mira.get("/notifications/?state=unread").json()["items"]) == 2
    assert mira.post("/notifications/read/", {"up_to": others[0]}).json() == {"unread": 0}
    assert otto.get("/notifications/").json()["unread"] == 1
    for wrong in ({"ids": [2**70]}, {"ids": ["1"]}, {"up_to": -1}, {"up_to": True}):
        assert_problem(mira.post("/notifications/read/", wrong), 400, "malformed")
    events = mira.get(f"/topics/{first['topic']}/events?after={first['seq']}")
    assert events.status_code == 200
    assert_problem(otto.get(f"/topics/{first['topic']}/events"), 404, "not_found")


def test_a_client_watches_and_lists_what_it_watches(
    mira: Caller, otto: Caller, add: Function
) -> None:
    assert otto.get("/watches/Add/").json() == {"function": "Add", "watching": False, "watchers": 1}
    assert otto.put("/watches/add/", {"watching": True}).json()["watchers"] == 2
    assert [one["name"] for one in otto.get("/watches/").json()["items"]] == ["Add"]
    assert otto.put("/watches/Add/", {"watching": False}).json()["watching"] is False
    assert otto.get("/watches/").json() == {"items": [], "next": None}
    assert_problem(otto.put("/watches/9lives/", {"watching": True}), 404, "not_found")
    assert_problem(otto.put("/watches/None/", {"watching": True}), 422, "reserved_name")
    later = {"function": "Later", "watching": True, "watchers": 1}
    assert otto.put("/watches/Later/", {"watching": True}).json() == later
    assert otto.get("/watches/Later/").json() == later
    assert otto.put("/watches/later/", {"watching": False}).json()["watchers"] == 0
    assert_problem(otto.put("/watches/Add/", {"watching": 1}), 400, "malformed")


def test_a_client_chooses_a_digest(mira: Caller) -> None:
    off = {"frequency": "off", "address": "", "confirmed": False}
    assert mira.get("/notifications/digest/").json() == off
    wanted = {"frequency": "weekly", "address": "mira@example.org"}
    assert mira.put("/notifications/digest/", wanted).json() == {**wanted, "confirmed": False}
    assert [one.to for one in mail.outbox] == [["mira@example.org"]]
    wrong = {"frequency": "weekly", "address": "mira"}
    assert_problem(mira.put("/notifications/digest/", wrong), 422, "invalid_address")
    often = {**wanted, "frequency": "hourly"}
    assert_problem(mira.put("/notifications/digest/", often), 422, "invalid_frequency")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/notifications/", None),
        ("POST", "/notifications/read/", {"ids": []}),
        ("GET", "/notifications/digest/", None),
        ("PUT", "/notifications/digest/", {"frequency": "daily", "address": "x@example.org"}),
        ("GET", "/watches/", None),
        ("GET", "/watches/Add/", None),
        ("PUT", "/watches/Add/", {"watching": True}),
    ],
)
def test_answers_are_as_described_and_nobody_gets_none(
    mira: Caller, nobody: Caller, add: Function, method: str, path: str, body: Any
) -> None:
    notify(add, mira, 1)
    schema = Client().get(f"{API}/openapi.json").json()
    described = schema["paths"][f"{API}{path.replace('Add', '{name}')}"][method.lower()]
    answer = mira.call(method, path, body)
    spec = described["responses"][str(answer.status_code)]["content"]["application/json"]
    conforms(answer.json(), spec["schema"], schema, f"{method} {path}")
    assert_problem(nobody.call(method, path, body), 401, "nobody")
