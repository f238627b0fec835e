"""Sending: once to each receiver, repeated after failures, slow ones beside the others."""

import threading
from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from functions.models import Webhook, WebhookDelivery
from functions.webhooks import deliveries
from functions.webhooks.deliveries import (
    BACK_OFF,
    JITTER,
    LEASE_SECONDS,
    MAX_ATTEMPTS,
    MAX_PER_HOST,
    claim_deliveries,
    record_answer,
    remove_old_deliveries,
)
from functions.webhooks.requests import TOTAL_SECONDS, Answer
from functions.webhooks.sender import MAX_AT_ONCE, MAX_FAILING_AT_ONCE, Sender
from functions.webhooks.signatures import new_secret, sign
from tests.functions.webhooks.conftest import enqueue, make_due, states, webhook
from tests.patience import await_that
from tests.support.batches import in_threads
from tests.support.receivers import Receiver, receiver
from tests.support.works import account

pytestmark = pytest.mark.django_db(transaction=True)


def await_states(hook: Webhook, *expected: str) -> None:
    await_that(lambda: states(hook) == list(expected), what=f"{expected}, not {states(hook)}")


def test_an_event_is_sent_once_signed_and_shown_with_its_answer(
    target: Receiver, sender: Sender
) -> None:
    hook = webhook(target.url)
    enqueue(hook, "canary/1", "canary/1")
    await_states(hook, "delivered")
    delivery = WebhookDelivery.objects.get()
    [came] = target.received
    identifier, timestamp = came.headers["webhook-id"], int(came.headers["webhook-timestamp"])
    assert came.headers["webhook-signature"] == sign(
        [hook.secret], identifier=identifier, timestamp=timestamp, body=came.body
    )
    assert identifier == came.event["id"] == str(delivery.uuid)
    assert abs(timestamp - timezone.now().timestamp()) < 60
    assert (came.headers["webhook-event"], came.headers["webhook-attempt"]) == (
        "canary.changed",
        "1",
    )
    assert (delivery.status, delivery.answer, delivery.error) == (200, "thanks", "")
    assert delivery.leased_until is None
    assert delivery.ended_at is not None


def test_what_fails_is_repeated_with_the_same_id_at_growing_distances_for_a_day(
    target: Receiver, sender: Sender
) -> None:
    target.status, target.body = 500, b"\0broken"
    hook = webhook(target.url)
    enqueue(hook, "canary/1")
    pauses = []
    for attempt in range(1, MAX_ATTEMPTS):
        await_that(WebhookDelivery.objects.filter(attempts=attempt, leased_until=None).exists)
        delivery = WebhookDelivery.objects.get()
        pauses.append((delivery.due_at - timezone.now()).total_seconds())
        assert (delivery.state, delivery.status) == ("pending", 500)
        make_due()
    await_states(hook, "failed")
    assert len({came.headers["webhook-id"] for came in target.received}) == 1
    assert len(target.received) == MAX_ATTEMPTS == len(BACK_OFF) + 1
    for pause, expected in zip(pauses, BACK_OFF, strict=True):
        assert expected * (1 - JITTER) - 10 < pause < expected * (1 + JITTER)
    assert sum(BACK_OFF) * (1 + JITTER) < 86_400
    hook.refresh_from_db()
    assert hook.active
    assert hook.failing_since is not None
    target.status = 204
    enqueue(hook, "canary/2")
    await_states(hook, "failed", "delivered")
    hook.refresh_from_db()
    assert hook.failing_since is None


def test_a_receiver_that_is_gone_or_has_failed_for_days_is_sent_nothing_more(
    target: Receiver, sender: Sender
) -> None:
    target.status = 410
    hook = webhook(target.url)
    enqueue(hook, "canary/1")
    await_states(hook, "failed")
    hook.refresh_from_db()
    assert (hook.active, hook.switched_off) == (False, "gone")
    enqueue(hook, "canary/2")
    assert states(hook) == ["failed"]
    target.status = 503
    failing = webhook(target.url, failing_since=timezone.now() - timedelta(days=6))
    enqueue(failing, "canary/1", "canary/2")
    await_states(failing, "failed", "failed")
    failing.refresh_from_db()
    assert (failing.active, failing.switched_off) == (False, "failing")


def test_a_slow_receiver_gets_two_at_once_and_holds_nobody_up(
    target: Receiver, sender: Sender
) -> None:
    resume = threading.Event()
    target.answering = lambda _came: resume.wait(8)
    slow = webhook(target.url)
    enqueue(slow, *(f"canary/{number}" for number in range(8)))
    await_that(lambda: len(target.received) == MAX_PER_HOST)
    try:
        with receiver() as quick_target:
            quick = webhook(quick_target.url)
            enqueue(quick, "canary/1", "canary/2", "canary/3")
            await_states(quick, *["delivered"] * 3)
        assert len(target.received) == MAX_PER_HOST
    finally:
        resume.set()
    await_states(slow, *["delivered"] * 8)
    assert target.most_at_once == MAX_PER_HOST


def test_several_workers_together_claim_two_of_a_host_and_each_delivery_once(
    to_private: None,
) -> None:
    hooks = [webhook(f"http://127.0.0.{number}:8000/") for number in range(1, 11)]
    for hook in hooks:
        enqueue(hook, *(f"canary/{number}" for number in range(5)))
    claimed: list[tuple[int, str]] = []

    def claim() -> None:
        for _ in range(5):
            found = claim_deliveries(3, most_failing=3)
            claimed.extend((each.id, each.url) for each in found)

    in_threads(claim, claim, claim, claim)
    assert len(claimed) == len(set(claimed)) == MAX_PER_HOST * len(hooks)
    urls = [url for _, url in claimed]
    assert {urls.count(hook.url) for hook in hooks} == {MAX_PER_HOST}


def test_webhooks_that_have_been_failing_leave_room_for_the_others(to_private: None) -> None:
    began = timezone.now()
    for number in range(1, 31):
        hook = webhook(f"http://127.0.0.{number}:8000/", failing_since=began)
        enqueue(hook, "canary/1", "canary/2")
    good = webhook("http://127.0.1.1:8000/")
    enqueue(good, "canary/1")
    claimed = claim_deliveries(MAX_AT_ONCE, most_failing=MAX_FAILING_AT_ONCE)
    assert [each.webhook_id for each in claimed].count(good.pk) == 1
    assert len(claimed) == MAX_FAILING_AT_ONCE + 1


def test_who_has_lost_a_delivery_records_nothing(to_private: None) -> None:
    hook = webhook("http://127.0.0.1:8000/")
    enqueue(hook, "canary/1")
    [lost] = claim_deliveries(1, most_failing=1)
    assert claim_deliveries(1, most_failing=1) == []
    WebhookDelivery.objects.update(leased_until=timezone.now() - timedelta(seconds=1))
    [held] = claim_deliveries(1, most_failing=1)
    record_answer(lost, Answer(status=410))
    assert states(hook) == ["pending"]
    record_answer(held, Answer(status=200))
    record_answer(held, Answer(status=500))
    assert states(hook) == ["delivered"]
    assert (lost.uuid, lost.attempts, held.attempts) == (held.uuid, 1, 2)
    assert LEASE_SECONDS > 2 * TOTAL_SECONDS


def test_what_a_worker_that_stops_has_sent_without_an_answer_is_due_at_once(
    target: Receiver,
) -> None:
    resume = threading.Event()
    target.answering = lambda _came: resume.wait(20)
    hook = webhook(target.url)
    enqueue(hook, "canary/1")
    sender = Sender()
    await_that(lambda: target.received)
    sender.close()
    delivery = WebhookDelivery.objects.get()
    assert (delivery.state, delivery.leased_until, delivery.attempts) == ("pending", None, 0)
    resume.set()
    again = Sender()
    await_states(hook, "delivered")
    again.close()
    assert len({came.headers["webhook-id"] for came in target.received}) == 1


def test_a_webhook_that_is_switched_off_while_something_waits_is_sent_nothing(
    target: Receiver,
) -> None:
    """Whether it is its owner who does it, or staff by suspending the owner."""
    off, suspended = webhook(target.url), webhook(target.url, owner="susi")
    with transaction.atomic():
        enqueue(off, "canary/1")
        enqueue(suspended, "canary/1")
    Webhook.objects.filter(pk=off.pk).update(active=False)
    susi = account("susi")
    susi.is_active = False
    susi.save()
    enqueue(suspended, "canary/2")
    sender = Sender()
    await_states(off, "failed")
    await_states(suspended, "failed")
    sender.close()
    assert target.received == []


def test_a_body_is_the_same_at_each_attempt_but_for_the_actors_present_name(
    target: Receiver, sender: Sender
) -> None:
    target.status = 500
    hook = webhook(target.url)
    actor = account("greta")
    deliveries.enqueue_deliveries(
        [hook.pk], event="canary.changed", key="1", payload={"cause": "ä"}, actor_id=actor.pk
    )
    await_that(lambda: target.received)
    actor.username = "deleted-7"
    actor.save()
    await_that(WebhookDelivery.objects.filter(leased_until=None, attempts=1).exists)
    make_due()
    await_that(lambda: len(target.received) == 2)
    first, second = (came.event for came in target.received)
    assert (first.pop("actor"), second.pop("actor")) == ("greta", "deleted-7")
    assert first == second
    assert first["cause"] == "ä"


def test_a_replaced_secret_signs_beside_the_new_one_for_a_day(
    target: Receiver, sender: Sender
) -> None:
    former = new_secret()
    for hours, expected in ((23, 2), (25, 1)):
        rotated_at = timezone.now() - timedelta(hours=hours)
        hook = webhook(target.url, former_secret=former, rotated_at=rotated_at)
        enqueue(hook, "canary/1")
        await_states(hook, "delivered")
        came = target.received[-1]
        identifier, timestamp = came.headers["webhook-id"], int(came.headers["webhook-timestamp"])
        signed = sign(
            [hook.secret, former][:expected],
            identifier=identifier,
            timestamp=timestamp,
            body=came.body,
        )
        assert came.headers["webhook-signature"] == signed


def test_deliveries_are_kept_for_thirty_days(to_private: None) -> None:
    hook = webhook("http://127.0.0.1:8000/")
    enqueue(hook, "canary/1", "canary/2")
    old = WebhookDelivery.objects.order_by("pk").first()
    assert old is not None
    old.created_at = timezone.now() - timedelta(days=31)
    old.save()
    assert remove_old_deliveries(0) == 0
    assert [each.key for each in WebhookDelivery.objects.all()] == ["canary/2"]
