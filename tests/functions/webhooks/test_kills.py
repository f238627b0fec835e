"""Workers killed at any moment of a delivery: it is sent again, with the same id."""

import os
import signal
import threading
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.utils import timezone

from functions.models import WebhookDelivery
from functions.webhooks.deliveries import MAX_ATTEMPTS, claim_deliveries, record_answer
from functions.webhooks.requests import Answer
from tests.functions.webhooks.conftest import enqueue, states, webhook
from tests.patience import await_that
from tests.support.batches import worker_process
from tests.support.crashes import failing_at, in_child
from tests.support.receivers import Received, Receiver

pytestmark = pytest.mark.django_db(transaction=True)

ENVIRONMENT = {"SOCIALCODE_WEBHOOKS_TO_PRIVATE": "1"}


def expire_leases() -> None:
    leased = WebhookDelivery.objects.filter(state="pending", leased_until__isnull=False)
    leased.update(leased_until=timezone.now() - timedelta(seconds=1))


def claim_and_record() -> None:
    for claim in claim_deliveries(1, most_failing=1):
        record_answer(claim, Answer(status=500))


def statements() -> int:
    with failing_at(0) as seen:
        claim_and_record()
    return len(seen)


@pytest.mark.parametrize("after", [False, True])
def test_a_worker_killed_at_any_moment_of_a_delivery_leaves_it_to_the_next_with_the_same_id(
    to_private: None, after: bool
) -> None:
    hook = webhook("http://127.0.0.1:8000/")
    enqueue(hook, "canary/1")
    count = statements()
    assert count >= 4
    for statement in range(1, count + 1):
        WebhookDelivery.objects.all().delete()
        enqueue(hook, f"canary/{statement}")
        uuid = WebhookDelivery.objects.get().uuid

        def act(at: int = statement) -> None:
            with failing_at(at, after=after, kill=True):
                claim_and_record()

        assert in_child(act) == -signal.SIGKILL
        connection.close()
        expire_leases()
        delivery = WebhookDelivery.objects.get()
        assert (delivery.state, delivery.attempts <= 1) == ("pending", True)
        WebhookDelivery.objects.update(due_at=timezone.now())
        [claim] = claim_deliveries(1, most_failing=1)
        assert claim.uuid == uuid
        assert claim.attempts <= 2 < MAX_ATTEMPTS
        record_answer(claim, Answer(status=204))
        assert states(hook) == ["delivered"]


def test_a_worker_killed_between_request_and_record_sends_again_with_the_same_id(
    target: Receiver, tmp_path: Path
) -> None:
    """The receiver kills the worker before it answers."""
    hook = webhook(target.url)
    with worker_process(tmp_path, **ENVIRONMENT) as worker:
        killed = threading.Event()

        def kill(_came: Received) -> None:
            if not killed.is_set():
                killed.set()
                os.kill(worker.pid, signal.SIGKILL)

        target.answering = kill
        enqueue(hook, "canary/1")
        await_that(killed.is_set, what="the delivery is sent")
        worker.wait()
    assert states(hook) == ["pending"]
    expire_leases()
    with worker_process(tmp_path, **ENVIRONMENT) as worker:
        await_that(lambda: states(hook) == ["delivered"], what="it is sent again")
        worker.terminate()
        assert worker.wait(20) == 0
    first, second = target.received
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    assert (first.body, second.headers["webhook-attempt"]) == (second.body, "2")
