"""Deliveries of webhooks: enqueued once for each event, claimed by senders, recorded, removed."""

import json
import random
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection, transaction
from django.db.models import F
from django.db.models.functions import Coalesce, Now
from django.utils import timezone

from functions.models import Webhook, WebhookDelivery
from functions.webhooks.requests import GONE, Answer
from runner.telemetry.counters import count
from runner.telemetry.families import Family, declare

State = WebhookDelivery.State
ATTEMPTS = declare(
    Family("webhook_attempts", "Events that were sent to webhooks, by outcome", ("outcome",))
)
# Seconds after each failed attempt but the last; with JITTER, a day at most.
BACK_OFF = (10, 60, 300, 1_800, 7_200, 21_600, 43_200)
MAX_ATTEMPTS = len(BACK_OFF) + 1
JITTER = 0.15
FAILING_FOR = timedelta(days=5)
FORMER_SECRET_FOR = timedelta(days=1)
# Longer than a request takes, with the time to record it.
LEASE_SECONDS = 30
MAX_PER_HOST = 2
KEPT = timedelta(days=30)
SHOWN_OF_ANSWER = 500
_REMOVED_AT_ONCE = 1_000

# One claim at a time, so that all workers together send a host no more than MAX_PER_HOST.
_LOCK = "select pg_advisory_xact_lock(hashtextextended('functions.webhooks', 0))"
# Hosts with something pending are found by an index probe each, so a host's backlog costs others
# nothing. Webhooks that have been failing get at most `failing` places, or they would take all.
_CLAIM = """
    with recursive hosts (host) as (
        (select host from functions_webhookdelivery where state = 'pending'
            order by host limit 1)
      union all
        select (select d.host from functions_webhookdelivery d
            where d.state = 'pending' and d.host > hosts.host order by d.host limit 1)
        from hosts where hosts.host is not null
    ), due as (
        select d.* from hosts cross join lateral (
            select d.id, d.due_at, w.failing_since is not null as failing
            from functions_webhookdelivery d join functions_webhook w on w.id = d.webhook_id
            where d.state = 'pending' and d.host = hosts.host and d.due_at <= now()
                and (d.leased_until is null or d.leased_until < now())
            order by d.due_at
            limit greatest(0, %(per_host)s - (select count(*) from functions_webhookdelivery l
                where l.state = 'pending' and l.host = hosts.host and l.leased_until >= now()))
            for update of d skip locked
        ) d
    ), numbered as (
        select id, due_at, failing,
            row_number() over (partition by failing order by due_at, id) as number from due
    ), chosen as (
        select id from numbered where not failing or number <= %(failing)s
        order by failing, due_at, id limit %(most)s
    )
    update functions_webhookdelivery d
    set leased_until = now() + make_interval(secs => %(lease)s), attempts = d.attempts + 1
    from chosen c
        join functions_webhookdelivery given on given.id = c.id
        join functions_webhook w on w.id = given.webhook_id
        join auth_user owner on owner.id = w.owner_id
        left join auth_user actor on actor.id = given.actor_id
    where d.id = c.id
    returning d.id, d.webhook_id, d.uuid, d.leased_until, d.attempts, d.event, d.payload,
        actor.username, w.url, w.active and owner.is_active, w.failing_since is not null,
        w.secret, case when w.rotated_at > now() - %(former)s::interval then w.former_secret end
"""


class Claim(NamedTuple):
    """A delivery that the claimer sends now; `leased_until` is the proof that it still may."""

    id: int
    webhook_id: int
    uuid: UUID
    leased_until: datetime
    attempts: int
    event: str
    payload: dict[str, Any]
    actor: str | None
    url: str
    is_wanted: bool
    is_failing: bool
    secret: str
    former_secret: str | None

    @property
    def body(self) -> bytes:
        """The request's body: the same for each attempt, but for the actor's name."""
        shown = {"id": str(self.uuid), "event": self.event, **self.payload, "actor": self.actor}
        return json.dumps(shown, ensure_ascii=False).encode()


def enqueue_deliveries(
    webhook_ids: Collection[int],
    *,
    event: str,
    key: str,
    payload: Mapping[str, Any],
    actor_id: int | None = None,
) -> None:
    """Enqueue an event for these webhooks, those that are active, in the caller's transaction.

    `key` names the event: what is enqueued again under it adds nothing. The payload is what
    everybody may see; `id`, `event` and `actor` are added to it.
    """
    active = Webhook.objects.filter(pk__in=webhook_ids, active=True, owner__is_active=True)
    WebhookDelivery.objects.bulk_create(
        [
            WebhookDelivery(
                webhook_id=pk,
                host=host,
                event=event,
                key=key,
                payload=dict(payload),
                actor_id=actor_id,
            )
            for pk, host in active.order_by("pk").values_list("pk", "host")
        ],
        ignore_conflicts=True,
    )


def claim_deliveries(most: int, *, most_failing: int) -> list[Claim]:
    """Claim due deliveries, the longest waiting first, up to MAX_PER_HOST a host.

    Of webhooks that have been failing, up to `most_failing`.
    """
    terms: dict[str, Any] = {
        "most": most,
        "failing": most_failing,
        "per_host": MAX_PER_HOST,
        "lease": LEASE_SECONDS,
        "former": FORMER_SECRET_FOR,
    }
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_LOCK)
        cursor.execute(_CLAIM, terms)
        return [_read_claim(row) for row in cursor]


def record_answer(claim: Claim, answer: Answer) -> None:
    """Record what came of an attempt, unless somebody else has the delivery by now."""
    is_last = claim.attempts >= MAX_ATTEMPTS or answer.status == GONE
    if _record(claim, answer, is_last=is_last):
        outcome = "given_up" if is_last else "failed"
        count(ATTEMPTS, "delivered" if answer.is_success else outcome)


@transaction.atomic
def _record(claim: Claim, answer: Answer, *, is_last: bool) -> bool:
    """Record an answer; return whether the claim still held."""
    fields: dict[str, Any] = {
        "leased_until": None,
        "status": answer.status,
        "answer": answer.body[:SHOWN_OF_ANSWER],
        "error": answer.error,
        "duration_ms": answer.duration_ms,
    }
    if answer.is_success or is_last:
        state = State.DELIVERED if answer.is_success else State.FAILED
        fields |= {"state": state, "ended_at": Now()}
    else:
        fields["due_at"] = Now() + timedelta(seconds=_pause_seconds(claim.attempts))
    webhook = Webhook.objects.filter(pk=claim.webhook_id)
    # Locked before its deliveries, as by `switch_off`.
    webhook.select_for_update(no_key=True).first()
    if not _held(claim).update(**fields):
        return False
    if answer.is_success:
        webhook.exclude(failing_since=None).update(failing_since=None)
        return True
    webhook.update(failing_since=Coalesce(F("failing_since"), Now()))
    if answer.status == GONE:
        switch_off(claim.webhook_id, Webhook.SwitchedOff.GONE)
    elif webhook.filter(failing_since__lt=Now() - FAILING_FOR).exists():
        switch_off(claim.webhook_id, Webhook.SwitchedOff.FAILING)
    return True


def record_unwanted(claim: Claim) -> None:
    """End a delivery whose webhook was switched off, or whose owner was suspended."""
    error = "the webhook was switched off"
    _held(claim).update(state=State.FAILED, error=error, leased_until=None, ended_at=Now())


def release(claim: Claim) -> None:
    """Give a delivery back that was not sent; it is due at once, and this was no attempt."""
    _held(claim).update(leased_until=None, attempts=F("attempts") - 1)


def switch_off(webhook_id: int, why: Webhook.SwitchedOff) -> None:
    """Switch a webhook off; what is still to be sent to it ends."""
    active = Webhook.objects.filter(pk=webhook_id, active=True)
    if active.update(active=False, switched_off=why):
        pending = WebhookDelivery.objects.filter(webhook=webhook_id, state=State.PENDING)
        pending.update(
            state=State.FAILED,
            error="the webhook was switched off",
            leased_until=None,
            ended_at=Now(),
        )


def remove_old_deliveries(_cursor: int) -> int:
    """Remove deliveries that ended long ago; called by the sweeper.

    Returns 1 if there may be more, else 0.
    """
    # Ids grow with age, so the oldest rows suffice: the index on ids finds them.
    oldest = WebhookDelivery.objects.order_by("pk")[:_REMOVED_AT_ONCE].values("pk")
    old = WebhookDelivery.objects.filter(pk__in=oldest, created_at__lt=timezone.now() - KEPT)
    removed, _ = old.delete()
    return int(removed == _REMOVED_AT_ONCE)


def _read_claim(row: Sequence[Any]) -> Claim:
    # The driver leaves JSON as text.
    return Claim._make([*row[:6], json.loads(row[6]), *row[7:]])


def _held(claim: Claim) -> Any:
    return WebhookDelivery.objects.filter(
        pk=claim.id, state=State.PENDING, leased_until=claim.leased_until
    )


def _pause_seconds(attempts: int) -> float:
    """Return the pause after this many attempts, with jitter, so that repeats drift apart."""
    pause = BACK_OFF[min(attempts, len(BACK_OFF)) - 1]
    return pause * random.uniform(1 - JITTER, 1 + JITTER)  # noqa: S311
