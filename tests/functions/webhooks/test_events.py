"""Events: who is sent what, once, at a small cost, and nothing that was hidden meanwhile."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from functions.authoring import delete_function, publish, withdraw
from functions.models import Election, Function, Webhook, WebhookDelivery
from functions.moderation.comments import delete_comment, hide_comment, write_comment
from functions.read_models.feeds import entries_of_dependencies
from functions.webhooks import fan_out
from functions.webhooks.events import FAN_OUT, EventName, announce, comment_added
from runner.models import FollowUp
from runner.pipelines.follow_ups import run_due_follow_ups
from runner.workers.drainer import Drainer
from tests.functions.webhooks.conftest import webhook
from tests.support.batches import in_threads
from tests.support.works import account, constant, define, draft_implementation, implement
from tests.support.works import publish_test as publish_a_test

pytestmark = pytest.mark.django_db(transaction=True)

URL = "https://example.org/hook"


def of_function(function: Function, owner: str = "wilma", **fields: Any) -> Webhook:
    return webhook(URL, owner=owner, subject="function", function=function, **fields)


def of_person(name: str, owner: str = "wilma") -> Webhook:
    return webhook(URL, owner=owner, subject="person", person=account(name))


def fan_out_all() -> None:
    while FollowUp.objects.filter(name=FAN_OUT).exists():
        FollowUp.objects.update(due_at=timezone.now())
        run_due_follow_ups()


def sent(hook: Webhook) -> list[str]:
    """Return the events that were enqueued for a webhook."""
    rows = WebhookDelivery.objects.filter(webhook=hook).order_by("pk")
    return list(rows.values_list("event", flat=True))


def payloads(hook: Webhook) -> list[dict[str, Any]]:
    return [row.payload for row in WebhookDelivery.objects.filter(webhook=hook).order_by("pk")]


def test_webhooks_of_a_function_a_person_and_of_what_one_uses_are_sent_what_concerns_them(
    worker: Drainer,
) -> None:
    add = define("Add", owner="olga")
    twice = define("Twice", owner="tom")
    implement(twice, "# <<Add>>\ndef Twice(a):\n    return Add(a, a)\n", author="tom")
    hooks = {
        "function": of_function(add),
        "person": of_person("ida"),
        "dependencies": webhook(URL, owner="tom"),
        "elsewhere": of_function(twice),
        "choosy": of_function(add, events=[EventName.COMMENT.value]),
        "off": of_function(add, active=False),
    }
    implement(add, "def Add(a, b):\n    return a + b\n")
    publish_a_test(add, "assert Add(1, 2) == 3")
    write_comment(actor=account("greta"), subject=add, text="Well done.")
    worker.drain()
    fan_out_all()
    of_add = {"implementation.published", "test.published", "comment.added", "election.changed"}
    assert set(sent(hooks["function"])) == of_add
    assert set(sent(hooks["dependencies"])) == of_add
    assert set(sent(hooks["person"])) == {"implementation.published", "election.changed"}
    assert set(sent(hooks["elsewhere"])) == {"election.changed"}
    assert sent(hooks["choosy"]) == ["comment.added"]
    assert sent(hooks["off"]) == []
    feed = entries_of_dependencies(account("tom"))
    assert {entry.title.partition(" ")[0].rstrip(":") for entry in feed} == {"Add"}


def test_a_definition_is_sent_to_webhooks_of_its_owner_alone() -> None:
    ida, otto = of_person("ida"), of_person("otto")
    define("Add", owner="ida")
    fan_out_all()
    assert (sent(ida), sent(otto)) == (["function.defined"], [])
    [payload] = payloads(ida)
    assert payload["function"]["name"] == "Add"
    assert payload["function"]["url"].endswith("/functions/Add/")


def test_a_breakage_and_its_end_are_sent_but_not_the_first_election(worker: Drainer) -> None:
    add, twice = define("Add"), define("Twice", owner="tom")
    hook = of_function(twice)
    implement(twice, "# <<Add>>\ndef Twice(a):\n    return Add(a, a)\n", author="tom")
    work = implement(add, "def Add(a, b):\n    return a + b\n")
    worker.drain()
    fan_out_all()
    assert "function.mended" not in sent(hook)
    test = publish_a_test(add, "assert Add(1, 2) == 4")
    worker.drain()
    fan_out_all()
    assert sent(hook)[-2:].count("function.broken") == 1
    [broken] = [one for one in payloads(hook) if "blocked_by" in one]
    assert broken["blocked_by"] == "Add"
    withdraw(actor=test.author, work=test)
    worker.drain()
    fan_out_all()
    assert sent(hook).count("function.mended") == 1
    assert work.function_id == add.pk


def test_an_event_that_is_fanned_out_again_adds_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fan_out, "PAGE", 2)
    add = define("Add")
    hooks = [of_function(add, owner=f"w{number}") for number in range(5)]
    comment = write_comment(actor=account("greta"), subject=add, text="Well done.")
    fan_out_all()
    first = list(WebhookDelivery.objects.order_by("pk").values_list("uuid", flat=True))
    announce([comment_added(comment)])
    fan_out_all()
    assert [sent(hook) for hook in hooks] == [["comment.added"]] * 5
    assert list(WebhookDelivery.objects.order_by("pk").values_list("uuid", flat=True)) == first


def test_what_was_hidden_or_deleted_before_it_is_sent_is_not_sent() -> None:
    add = define("Add")
    hook = of_function(add)
    greta, olga = account("greta"), account("olga")
    hidden, deleted, shown = (
        write_comment(actor=greta, subject=add, text=text) for text in ("one", "two", "three")
    )
    hide_comment(actor=olga, comment=hidden, reason="Spam.")
    delete_comment(actor=greta, comment=deleted)
    fan_out_all()
    [payload] = payloads(hook)
    assert payload["comment"]["id"] == shown.pk
    assert "three" not in str(payload)
    write_comment(actor=greta, subject=add, text="four")
    delete_function(actor=olga, function=add)
    fan_out_all()
    assert len(payloads(hook)) == 1


def test_a_payload_has_no_code_and_whom_it_was_by_is_read_when_it_is_sent(
    worker: Drainer,
) -> None:
    add = define("Add")
    hook = of_function(add)
    work = implement(add, constant("Add", "secret-in-code"))
    worker.drain()
    fan_out_all()
    rows = WebhookDelivery.objects.filter(webhook=hook)
    for row in rows:
        assert "secret-in-code" not in str(row.payload)
        assert "actor" not in row.payload
        assert row.actor == account("ida")
        assert row.payload["work"]["id"] == work.pk
    election = Election.objects.get(function=add)
    assert set(rows.values_list("key", flat=True)) == {
        f"implementation/{work.pk}",
        f"election/{election.pk}",
    }


def test_an_event_before_a_webhook_was_made_is_not_sent_to_it() -> None:
    add = define("Add")
    earlier = of_function(add)
    write_comment(actor=account("greta"), subject=add, text="Well done.")
    later = of_function(add, created_at=timezone.now())
    fan_out_all()
    assert (sent(earlier), sent(later)) == (["comment.added"], [])


def test_announcing_many_events_costs_one_query_when_nobody_wants_them() -> None:
    add = define("Add")
    comment = write_comment(actor=account("greta"), subject=add, text="Well done.")
    costs: list[int] = []

    def cost(act: Callable[[], object]) -> None:
        with CaptureQueriesContext(connection) as queries:
            act()
        costs.append(len(queries))

    of_function(define("Other"))
    cost(lambda: announce([comment_added(comment)]))
    cost(lambda: announce([comment_added(comment)] * 200))
    assert costs == [1, 1]
    of_function(add)
    cost(lambda: announce([comment_added(comment)] * 200))
    cost(lambda: announce([comment_added(comment)] * 2))
    assert costs[2] == costs[3] < 10


def test_a_publication_costs_the_same_however_many_webhooks_want_it() -> None:
    add = define("Add")
    costs = []
    for number, more in enumerate((1, 1, 30)):
        for _ in range(more):
            of_function(add)
        draft = draft_implementation(add, constant("Add", number))
        with CaptureQueriesContext(connection) as queries:
            publish(actor=draft.author, draft=draft)
        costs.append(len(queries))
    assert costs[1] == costs[2]


def test_two_workers_that_fan_an_event_out_at_once_make_one_delivery() -> None:
    add = define("Add")
    hook = of_function(add)
    write_comment(actor=account("greta"), subject=add, text="Well done.")
    row = FollowUp.objects.get(name=FAN_OUT)
    twice = {"a": [row], "b": [row]}
    in_threads(
        lambda: fan_out.fan_out_events({"a": twice["a"]}),
        lambda: fan_out.fan_out_events({"b": twice["b"]}),
    )
    assert sent(hook) == ["comment.added"]
