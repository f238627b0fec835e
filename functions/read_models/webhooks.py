"""Read models of webhooks and their deliveries."""

import json
from dataclasses import dataclass

from django.contrib.auth.models import User

from functions.models import Function, Webhook, WebhookDelivery
from functions.read_models.cursors import decode_place, encode_cursor
from functions.read_models.function import function_named
from functions.read_models.person import person_named


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryPage:
    """A page of deliveries, newest first; `next` is the next page's cursor."""

    rows: tuple[WebhookDelivery, ...]
    next: str


def delivery_page(webhook: Webhook, *, cursor: str = "", limit: int = 50) -> DeliveryPage:
    """Return a page of a webhook's deliveries. Raises BadCursor."""
    found = WebhookDelivery.objects.filter(webhook=webhook).order_by("-pk")
    if cursor:
        found = found.filter(pk__lt=decode_place(cursor, 1)[0])
    rows = list(found[: limit + 1])
    more = encode_cursor(rows[limit - 1].pk) if len(rows) > limit else ""
    return DeliveryPage(rows=tuple(rows[:limit]), next=more)


def subject_named(function: str, person: str) -> tuple[Function | None, User | None]:
    """Return what a new webhook is of, by name; None for what is not named, or unknown."""
    return function_named(function), person_named(person) if person else None


def body_of(delivery: WebhookDelivery) -> str:
    """Return what is sent, for its reader; the actor's name is added when it is sent."""
    shown = {"id": str(delivery.uuid), "event": delivery.event, **delivery.payload}
    return json.dumps(shown, indent=2, ensure_ascii=False)
