"""The pages of webhooks: made, tried, changed and removed without scripts."""

import pytest

from functions.models import Webhook, WebhookDelivery
from functions.webhooks.events import EventName
from tests.functions.views.conftest import SignedIn, as_person
from tests.support.works import account, define

__all__ = ["as_person"]  # a fixture
pytestmark = pytest.mark.django_db(transaction=True)

NEW = {
    "url": "https://example.org/hook",
    "subject": "dependencies",
    "events": [str(name) for name in EventName],
}


def test_a_webhook_is_added_and_its_secret_shown_once(as_person: SignedIn) -> None:
    client = as_person("wilma")
    made = client.post("/webhooks/", NEW)
    webhook = Webhook.objects.get()
    assert webhook.secret in made.content.decode()
    for path in ("/webhooks/", f"/webhooks/{webhook.pk}/"):
        shown = client.get(path)
        assert webhook.secret not in shown.content.decode()
        assert webhook.url in shown.content.decode()
        assert "no-store" in shown["Cache-Control"]
    rotated = client.post(f"/webhooks/{webhook.pk}/secret/")
    former = webhook.secret
    webhook.refresh_from_db()
    assert webhook.secret in rotated.content.decode()
    assert former not in rotated.content.decode()


def test_a_wrong_webhook_is_refused_beside_its_field(as_person: SignedIn) -> None:
    client = as_person("wilma")
    for change, message in (
        ({"url": "http://example.org"}, "Write an address that begins with https://."),
        ({"url": "https://localhost/"}, "localhost is not a public name"),
        ({"subject": "function", "function": "Gone"}, "There is no such function."),
        ({"events": []}, "Choose at least one event."),
    ):
        answer = client.post("/webhooks/", {**NEW, **change})
        assert answer.status_code == 422
        assert message in answer.content.decode()
    assert not Webhook.objects.exists()


def test_deliveries_are_shown_with_their_answers_and_sent_again(as_person: SignedIn) -> None:
    client = as_person("wilma")
    define("Add")
    client.post("/webhooks/", {**NEW, "subject": "function", "function": "Add"})
    webhook = Webhook.objects.get()
    path = f"/webhooks/{webhook.pk}/"
    assert client.post(f"{path}ping/").status_code == 302
    delivery = WebhookDelivery.objects.get()
    WebhookDelivery.objects.update(
        state="failed", attempts=8, status=500, answer="<b>broken</b>", error="", duration_ms=12
    )
    text = client.get(path).content.decode()
    for expected in ("Failed", "500", "&lt;b&gt;broken&lt;/b&gt;", "8 attempts", "12 ms", "ping"):
        assert expected in text
    assert client.post(f"{path}deliveries/{delivery.pk}/resend/").status_code == 302
    delivery.refresh_from_db()
    assert (delivery.state, delivery.attempts) == ("pending", 0)
    client.post(path, {"url": "https://example.com/", "events": ["comment.added"]})
    webhook.refresh_from_db()
    assert (webhook.url, webhook.events) == ("https://example.com/", ["comment.added"])
    client.post(f"{path}switch/", {"active": "no"})
    assert "You switched it off." in client.get(path).content.decode()
    refused = client.post(f"{path}ping/")
    assert (refused.status_code, "switched off" in refused.content.decode()) == (409, True)
    client.post(f"{path}switch/", {"active": "yes"})
    assert client.post(f"{path}delete/").status_code == 302
    assert not Webhook.objects.exists()


def test_a_webhook_of_another_is_not_there(as_person: SignedIn) -> None:
    as_person("wilma").post("/webhooks/", NEW)
    webhook = Webhook.objects.get()
    other = as_person("otto")
    for path in ("", "switch/", "secret/", "ping/", "delete/", "deliveries/1/resend/"):
        assert other.post(f"/webhooks/{webhook.pk}/{path}", NEW).status_code == 404
    assert other.get(f"/webhooks/{webhook.pk}/").status_code == 404
    assert account("wilma").webhooks.get() == webhook
