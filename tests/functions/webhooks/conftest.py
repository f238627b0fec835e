"""What tests of webhooks share."""

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import Settings

from functions.models import Webhook, WebhookDelivery
from functions.webhooks.addresses import check_url
from functions.webhooks.deliveries import enqueue_deliveries
from functions.webhooks.events import EventName
from functions.webhooks.sender import Sender
from functions.webhooks.signatures import new_secret
from tests.support.receivers import Receiver, receiver
from tests.support.works import account

Hook = Callable[..., Webhook]
PAYLOAD = {"at": "2026-11-29T08:00:00Z", "function": None, "work": None, "cause": None}


@pytest.fixture
def to_private(settings: Settings) -> None:
    """Let webhooks be sent to this machine."""
    settings.WEBHOOKS_TO_PRIVATE = True


@pytest.fixture
def target(to_private: None) -> Iterator[Receiver]:
    """Run a receiver."""
    with receiver() as running:
        yield running


@pytest.fixture
def sender(to_private: None) -> Iterator[Sender]:
    """Run a sender, as in a worker."""
    running = Sender()
    yield running
    running.close()


def webhook(url: str, *, owner: str = "wilma", **fields: object) -> Webhook:
    """Store a webhook; of everything that one depends on, unless given otherwise."""
    given: dict[str, object] = {
        "subject": Webhook.Subject.DEPENDENCIES,
        "events": list(EventName),
        "secret": new_secret(),
        "created_at": timezone.now() - timedelta(seconds=5),
        **fields,
    }
    return Webhook.objects.create(owner=account(owner), url=url, host=check_url(url), **given)


def enqueue(hook: Webhook, *keys: str) -> None:
    """Enqueue an event for this webhook under each of these keys."""
    for key in keys:
        enqueue_deliveries([hook.pk], event="canary.changed", key=key, payload=PAYLOAD)


def states(hook: Webhook) -> list[str]:
    """Return the states of its deliveries, the oldest first."""
    return list(
        WebhookDelivery.objects.filter(webhook=hook).order_by("pk").values_list("state", flat=True)
    )


def make_due() -> None:
    """Let everything pending be sent now."""
    WebhookDelivery.objects.filter(state="pending").update(due_at=timezone.now())
