"""What docs/webhooks.md says: the fields of events, and the program that checks signatures."""

import json
import re
import time
from collections.abc import Mapping
from typing import Any

import pytest

from functions.authoring import withdraw
from functions.models import WebhookDelivery
from functions.moderation.comments import write_comment
from functions.webhooks.commands import ping
from functions.webhooks.events import PING, EventName
from functions.webhooks.sender import Sender
from functions.webhooks.signatures import new_secret, sign
from runner.workers.drainer import Drainer
from tests.functions.webhooks.conftest import enqueue, webhook
from tests.functions.webhooks.test_events import fan_out_all
from tests.patience import await_that
from tests.support.receivers import Receiver
from tests.support.site import ROOT
from tests.support.works import account, define, implement
from tests.support.works import publish_test as publish_a_test

PAGES = ("docs/webhooks.md", "docs/de/webhooks.md")
_EXAMPLE = re.compile(r"### `([\w.]+)`\n(?:(?!\n##).)*?```json\n(.*?)```", re.DOTALL)
_PROGRAM = re.compile(r"```python\n(.*?)```", re.DOTALL)


def examples(page: str) -> dict[str, dict[str, Any]]:
    text = (ROOT / page).read_text("utf-8")
    return {name: json.loads(example) for name, example in _EXAMPLE.findall(text)}


def shape(value: Any) -> Any:
    """Return the names and types in a value; null stands for any type."""
    if isinstance(value, Mapping):
        return {name: shape(each) for name, each in value.items()}
    return None if value is None else type(value)


def is_like(one: Any, other: Any) -> bool:
    if one is None or other is None:
        return True
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_like(one[name], other[name]) for name in one)
    return bool(one == other)


@pytest.mark.django_db(transaction=True)
def test_every_event_is_sent_as_its_example_shows(
    target: Receiver, sender: Sender, worker: Drainer
) -> None:
    hook = webhook(target.url, subject="person", person=account("olga"))
    add = define("Add")
    twice = define("Twice", owner="tom")
    broken = webhook(target.url, subject="function", function=twice)
    implement(twice, "# <<Add>>\ndef Twice(a):\n    return Add(a, a)\n", author="tom")
    implement(add, "def Add(a, b):\n    return a + b\n", author="olga")
    worker.drain()
    test = publish_a_test(add, "assert Add(1, 2) == 4")
    worker.drain()
    withdraw(actor=test.author, work=test)
    write_comment(actor=add.owner, subject=add, text="Well done.")
    worker.drain()
    fan_out_all()
    ping(actor=broken.owner, webhook_id=hook.pk)
    await_that(lambda: not WebhookDelivery.objects.exclude(state="delivered").exists())
    sent = {came.event["event"]: came.event for came in target.received}
    assert sent.keys() == {*EventName, PING}
    for page in PAGES:
        shown = examples(page)
        assert shown.keys() == sent.keys()
        for name, event in sent.items():
            assert event.keys() == shown[name].keys(), name
            assert is_like(shape(event), shape(shown[name])), name
            assert shown[name]["event"] == name


@pytest.mark.parametrize("page", PAGES)
def test_the_program_tells_our_requests_from_others(page: str) -> None:
    names: dict[str, Any] = {}
    [program] = _PROGRAM.findall((ROOT / page).read_text("utf-8"))
    exec(program, names)  # noqa: S102 - of our documentation
    is_ours, secret, body = names["is_ours"], new_secret(), b'{"a": "\xc3\xa4"}'
    now = int(time.time())

    def headers(secrets: list[str], timestamp: int = now) -> dict[str, str]:
        signature = sign(secrets, identifier="1", timestamp=timestamp, body=body)
        return {
            "webhook-id": "1",
            "webhook-timestamp": str(timestamp),
            "webhook-signature": signature,
        }

    assert is_ours(secret, headers([secret]), body)
    assert is_ours(secret, headers([new_secret(), secret]), body)
    assert not is_ours(secret, headers([new_secret()]), body)
    assert not is_ours(secret, headers([secret]), body + b" ")
    assert not is_ours(secret, {**headers([secret]), "webhook-id": "2"}, body)
    assert not is_ours(secret, headers([secret], now - 3_600), body)


@pytest.mark.django_db(transaction=True)
def test_the_program_takes_what_is_sent(target: Receiver, sender: Sender) -> None:
    names: dict[str, Any] = {}
    [program] = _PROGRAM.findall((ROOT / PAGES[0]).read_text("utf-8"))
    exec(program, names)  # noqa: S102 - of our documentation
    hook = webhook(target.url)
    enqueue(hook, "canary/1")
    await_that(lambda: target.received)
    [came] = target.received
    assert names["is_ours"](hook.secret, came.headers, came.body)
