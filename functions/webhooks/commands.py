"""Use cases of webhooks: their owners make, change, try and remove them."""

from collections.abc import Collection, Sequence
from uuid import uuid4

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext as _

from functions.errors import Conflict, Refusal, no_such, require_expected
from functions.models import Function, Webhook, WebhookDelivery
from functions.permissions import require_account, require_person
from functions.webhooks.addresses import check_url
from functions.webhooks.deliveries import enqueue_deliveries, switch_off
from functions.webhooks.events import PING, EventName
from functions.webhooks.payloads import ping_payload
from functions.webhooks.signatures import new_secret
from runner.registry import Actor

MAX_WEBHOOKS = 50
Subject = Webhook.Subject
# Those that a person chooses; canaries make their own.
SUBJECTS = (Subject.FUNCTION, Subject.PERSON, Subject.DEPENDENCIES)
State = WebhookDelivery.State


@transaction.atomic
def create_webhook(
    *,
    actor: Actor,
    url: str,
    subject: str,
    function: Function | None = None,
    person: User | None = None,
    events: Sequence[str] = (),
) -> Webhook:
    """Create a webhook of a function, a person, or all that the actor's published works use.

    Without `events`, it is sent all.
    """
    owner = require_person(actor)
    chosen = _check_events(events)
    host = check_url(url)
    if subject not in SUBJECTS:
        message = _("There is no subject %(value)s; choose one of %(choices)s.")
        choices = ", ".join(SUBJECTS)
        message %= {"value": ascii(subject)[:40], "choices": choices}
        raise Refusal("invalid_subject", message, field="subject")
    if subject == Subject.FUNCTION and function is None:
        raise Refusal("no_such_function", _("There is no such function."), field="function")
    if subject == Subject.PERSON and person is None:
        raise Refusal("no_such_user", _("There is nobody of this name."), field="person")
    # Its owner's account is locked, so that no more are made at once.
    User.objects.select_for_update(no_key=True).get(pk=owner.pk)
    if webhooks_of(owner).exclude(subject=Subject.CANARY).count() >= MAX_WEBHOOKS:
        message = _("You have %(count)s webhooks already; delete one first.")
        raise Refusal("too_many_webhooks", message % {"count": MAX_WEBHOOKS})
    return Webhook.objects.create(
        owner=owner,
        url=url,
        host=host,
        subject=subject,
        function=function if subject == Subject.FUNCTION else None,
        person=person if subject == Subject.PERSON else None,
        events=chosen,
        secret=new_secret(),
        created_at=timezone.now(),
    )


@transaction.atomic
def change_webhook(
    *,
    actor: Actor,
    webhook_id: int,
    url: str | None = None,
    events: Sequence[str] | None = None,
    active: bool | None = None,
    expected: Collection[str] | None = None,
) -> Webhook:
    """Change what is given of a webhook; what still waits is sent to the new address."""
    webhook = _locked(actor, webhook_id, expected)
    if events is not None:
        webhook.events = _check_events(events)
    if url is not None and url != webhook.url:
        webhook.url, webhook.host = url, check_url(url)
        pending = WebhookDelivery.objects.filter(webhook=webhook, state=State.PENDING)
        pending.update(host=webhook.host)
    if active is True and not webhook.active:
        webhook.active, webhook.switched_off, webhook.failing_since = True, "", None
    webhook.save()
    if active is False and webhook.active:
        switch_off(webhook.pk, Webhook.SwitchedOff.BY_OWNER)
        webhook.refresh_from_db()
    return webhook


@transaction.atomic
def rotate_secret(
    *, actor: Actor, webhook_id: int, expected: Collection[str] | None = None
) -> Webhook:
    """Replace a webhook's secret; for a day, requests are signed with the former one too."""
    webhook = _locked(actor, webhook_id, expected)
    webhook.former_secret, webhook.secret = webhook.secret, new_secret()
    webhook.rotated_at = timezone.now()
    webhook.save(update_fields=["former_secret", "secret", "rotated_at"])
    return webhook


@transaction.atomic
def delete_webhook(
    *, actor: Actor, webhook_id: int, expected: Collection[str] | None = None
) -> None:
    """Delete a webhook with its deliveries."""
    _locked(actor, webhook_id, expected).delete()


@transaction.atomic
def ping(*, actor: Actor, webhook_id: int) -> WebhookDelivery:
    """Enqueue an event that says nothing, to try the receiver."""
    webhook = _locked(actor, webhook_id)
    _require_active(webhook)
    key = f"ping/{uuid4().hex}"
    enqueue_deliveries(
        [webhook.pk],
        event=PING,
        key=key,
        payload=ping_payload(),
        actor_id=webhook.owner_id,
    )
    return WebhookDelivery.objects.get(webhook=webhook, key=key)


@transaction.atomic
def resend(*, actor: Actor, webhook_id: int, delivery_id: int) -> WebhookDelivery:
    """Send a delivery again, with the same id, or at once if it waits for its next attempt."""
    webhook = _locked(actor, webhook_id)
    _require_active(webhook)
    rows = WebhookDelivery.objects.select_for_update(no_key=True).filter(webhook=webhook)
    delivery = rows.filter(pk=delivery_id).first()
    if delivery is None:
        raise no_such("delivery")
    if delivery.leased_until is not None and delivery.leased_until > timezone.now():
        raise Conflict("being_sent", _("This delivery is being sent just now."))
    rows.filter(pk=delivery_id).update(
        state=State.PENDING, attempts=0, due_at=Now(), leased_until=None, ended_at=None
    )
    delivery.refresh_from_db()
    return delivery


def webhooks_of(owner: User) -> QuerySet[Webhook]:
    """Return a person's webhooks, the latest first."""
    rows = Webhook.objects.filter(owner=owner).select_related("function", "person")
    return rows.order_by("-pk")


def webhook_of(actor: Actor, webhook_id: int) -> Webhook:
    """Return a webhook of the actor's own. Raises NotFound for all others."""
    webhook = webhooks_of(require_account(actor)).filter(pk=webhook_id).first()
    if webhook is None:
        raise no_such("webhook")
    return webhook


def _locked(actor: Actor, webhook_id: int, expected: Collection[str] | None = None) -> Webhook:
    owner = require_person(actor)
    rows = Webhook.objects.select_for_update(no_key=True, of=("self",)).filter(owner=owner)
    webhook = rows.select_related("function", "person").filter(pk=webhook_id).first()
    if webhook is None:
        raise no_such("webhook")
    require_expected(expected, webhook.digest)
    return webhook


def _require_active(webhook: Webhook) -> None:
    if not webhook.active:
        raise Conflict("webhook_off", _("This webhook is switched off; switch it on first."))


def _check_events(events: Sequence[str]) -> list[str]:
    names = [str(name) for name in EventName]
    for event in events:
        if event not in names:
            message = _("There is no event %(value)s; choose of %(choices)s.")
            message %= {"value": ascii(event)[:40], "choices": ", ".join(names)}
            raise Refusal("unknown_event", message, field="events")
    return [name for name in names if name in events or not events]
