"""Webhooks over the API: only one's own, made once, changed as they were read, tried."""

import pytest

from functions.models import Webhook, WebhookDelivery
from functions.webhooks import commands
from functions.webhooks.events import EventName
from tests.functions.api.conftest import Caller, assert_problem
from tests.support import builders as make
from tests.support.threads import run_together
from tests.support.works import account, define

NEW = {"url": "https://example.org/hook", "subject": "dependencies"}


@pytest.fixture
def wilma(db: None) -> Caller:
    return Caller(make.user("wilma"))


def test_a_webhook_is_made_with_a_secret_that_is_shown_once(wilma: Caller) -> None:
    define("Add")
    of_function = wilma.post("/webhooks/", {**NEW, "subject": "function", "function": "add"})
    of_person = wilma.post(
        "/webhooks/",
        {**NEW, "subject": "person", "person": "olga", "events": ["comment.added"]},
    )
    of_all = wilma.post("/webhooks/", NEW)
    made = [answer.json() for answer in (of_function, of_person, of_all)]
    assert [answer.status_code for answer in (of_function, of_person, of_all)] == [201] * 3
    assert [one["function"] for one in made] == ["Add", None, None]
    assert [one["person"] for one in made] == [None, "olga", None]
    assert [one["events"] for one in made[1:]] == [["comment.added"], [*EventName]]
    assert all(one["secret"].startswith("whsec_") for one in made)
    listed = wilma.get("/webhooks/").json()["items"]
    assert listed == [
        {name: value for name, value in one.items() if name != "secret"} for one in made[::-1]
    ]
    assert wilma.get(f"/webhooks/{made[0]['id']}/").json() == listed[2]


@pytest.mark.parametrize(
    ("change", "code", "field"),
    [
        ({"url": "http://example.org/"}, "not_https", "url"),
        ({"url": "https://10.0.0.1/"}, "private_address", "url"),
        ({"subject": "everything"}, "invalid_subject", "subject"),
        ({"subject": "canary"}, "invalid_subject", "subject"),
        ({"subject": "function", "function": "Nothing"}, "no_such_function", "function"),
        ({"subject": "person", "person": "nobody"}, "no_such_user", "person"),
        ({"events": ["comment.added", "comment"]}, "unknown_event", "events"),
    ],
)
def test_a_wrong_webhook_is_refused_for_a_reason(
    wilma: Caller, change: dict[str, object], code: str, field: str
) -> None:
    answer = wilma.post("/webhooks/", {**NEW, **change})
    assert_problem(answer, 422, code)
    assert answer.json()["errors"][0]["field"] == field
    assert not Webhook.objects.exists()


def test_nobody_else_sees_or_changes_a_webhook(wilma: Caller, otto: Caller, nobody: Caller) -> None:
    path = f"/webhooks/{wilma.post('/webhooks/', NEW).json()['id']}/"
    ping = wilma.post(f"{path}ping/").json()
    paths = [(method, path) for method in ("GET", "PATCH", "DELETE")]
    paths += [("POST", f"{path}{act}/") for act in ("ping", "secret")]
    paths += [("GET", f"{path}deliveries/"), ("POST", f"{path}deliveries/{ping['id']}/resend/")]
    for method, each in paths:
        body = {"active": False} if method == "PATCH" else None
        assert_problem(otto.call(method, each, body), 404, "not_found")
        assert_problem(nobody.call(method, each, body), 401, "nobody")
    assert otto.get("/webhooks/").json() == {"items": []}
    other = otto.post("/webhooks/", NEW).json()["id"]
    mixed = f"/webhooks/{other}/deliveries/{ping['id']}/resend/"
    assert_problem(otto.post(mixed), 404, "not_found")
    assert Webhook.objects.filter(active=True).count() == 2


def test_a_webhook_is_changed_as_it_was_read(wilma: Caller) -> None:
    path = f"/webhooks/{wilma.post('/webhooks/', NEW).json()['id']}/"
    read = wilma.get(path)["ETag"]
    assert wilma.get(path, **{"If-None-Match": read}).status_code == 304
    wilma.post(f"{path}ping/")
    moved = {"url": "https://example.com:8443/", "events": ["comment.added"]}
    changed = wilma.call("PATCH", path, moved, **{"If-Match": read})
    assert {name: changed.json()[name] for name in moved} == moved
    assert changed["ETag"] != read
    assert WebhookDelivery.objects.get().host == Webhook.objects.get().host == "example.com:8443"
    for method, each in (("PATCH", path), ("DELETE", path), ("POST", f"{path}secret/")):
        refused = wilma.call(method, each, {"active": False}, **{"If-Match": read})
        assert_problem(refused, 412, "precondition_failed")
    former = Webhook.objects.get().secret
    rotated = wilma.call("POST", f"{path}secret/", **{"If-Match": changed["ETag"]}).json()
    webhook = Webhook.objects.get()
    assert (rotated["secret"], former) == (webhook.secret, webhook.former_secret)
    assert webhook.secret != former
    assert wilma.call("DELETE", path).status_code == 204
    assert not WebhookDelivery.objects.exists()


def test_what_waits_ends_when_a_webhook_is_switched_off_and_it_can_be_switched_on(
    wilma: Caller,
) -> None:
    path = f"/webhooks/{wilma.post('/webhooks/', NEW).json()['id']}/"
    ping = wilma.post(f"{path}ping/").json()
    off = wilma.patch(path, {"active": False}).json()
    assert (off["active"], off["switched_off"]) == (False, "owner")
    [delivery] = wilma.get(f"{path}deliveries/").json()["items"]
    assert (delivery["state"], delivery["message"]) == ("failed", ping["message"])
    assert_problem(wilma.post(f"{path}ping/"), 409, "webhook_off")
    again = f"{path}deliveries/{ping['id']}/resend/"
    assert_problem(wilma.post(again), 409, "webhook_off")
    on = wilma.patch(path, {"active": True}).json()
    assert (on["active"], on["switched_off"]) == (True, None)
    assert wilma.post(again).json()["state"] == "pending"


def test_deliveries_come_in_pages(wilma: Caller) -> None:
    path = f"/webhooks/{wilma.post('/webhooks/', NEW).json()['id']}/"
    ids = [wilma.post(f"{path}ping/").json()["id"] for _ in range(3)]
    first = wilma.get(f"{path}deliveries/?limit=2").json()
    second = wilma.get(f"{path}deliveries/?limit=2&cursor={first['next']}").json()
    seen = [one["id"] for page in (first, second) for one in page["items"]]
    assert (seen, second["next"]) == (ids[::-1], None)


def test_a_repeated_request_makes_one_webhook(wilma: Caller) -> None:
    answers = [wilma.post("/webhooks/", NEW, **{"Idempotency-Key": "1"}) for _ in range(2)]
    assert answers[0].json() == answers[1].json()
    assert Webhook.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_nobody_has_more_webhooks_than_allowed_however_many_are_made_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(commands, "MAX_WEBHOOKS", 2)
    callers = [Caller(account("wilma")) for _ in range(4)]
    answers = run_together(lambda one: one.post("/webhooks/", NEW), callers)
    codes = sorted(answer.status_code for answer in answers)
    assert codes == [201, 201, 422, 422]
    assert Webhook.objects.count() == 2
