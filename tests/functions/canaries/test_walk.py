"""From a lock to what a receiver gets, with a real worker, sender and receiver."""

import pytest

from functions.models import Canary, Function, Webhook, WebhookDelivery
from functions.previews import preview_publishing
from functions.webhooks.sender import Sender
from functions.webhooks.signatures import sign
from runner.workers.drainer import Drainer
from tests.functions.api.conftest import Caller
from tests.functions.releases.conftest import publish
from tests.functions.webhooks.conftest import sender, target, to_private  # noqa: F401 - fixtures
from tests.patience import await_that
from tests.support.receivers import Receiver
from tests.support.works import draft_implementation

pytestmark = pytest.mark.django_db(transaction=True)
OTHER = "def Add(a, b):\n    return b + a\n"


def test_a_project_registers_is_told_looks_and_keeps_or_moves_its_lock(
    outside: Caller,
    library: dict[str, Function],
    worker: Drainer,
    target: Receiver,  # noqa: F811 - the fixture
    sender: Sender,  # noqa: F811 - the fixture
) -> None:
    given = {"name": "shop", "releases": {"Thrice": 1}, "url": target.url}
    made = outside.post("/canaries/", given)
    assert made.status_code == 201, made.content
    address, secret = made["Location"].removeprefix("/api/v1"), made.json()["secret"]
    assert outside.get(address).json()["secret"] is None

    draft = draft_implementation(library["Add"], OTHER, author="eve")
    preview = preview_publishing(actor=draft.author, draft=draft)
    worker.drain()
    author = Caller(draft.author)
    assert author.post(f"/previews/{preview.pk}/tell/").json()["told"] is True
    worker.drain()
    await_that(lambda: target.events == ["canary.preview"])
    publish(worker, "Add", OTHER, author="eve")
    await_that(lambda: not WebhookDelivery.objects.filter(state="pending").exists())
    assert {*target.events} <= {"canary.preview", "canary.proposed", "canary.released"}
    for came in target.received:
        given_id, at = came.headers["webhook-id"], int(came.headers["webhook-timestamp"])
        assert came.headers["webhook-signature"] == sign(
            [secret], identifier=given_id, timestamp=at, body=came.body
        )
    last = target.received[-1].event
    assert (last["event"], last["project"]) == ("canary.released", "shop")

    changes = outside.client.get(last["url"], headers=outside.headers).json()["items"]
    assert [(one["name"], one["former"], one["latter"]) for one in changes] == [
        *(("Add", 1, 2), ("Thrice", 1, 2), ("Twice", 1, 2)),
    ]
    assert outside.get(address).json()["releases"][0] == {"name": "Add", "number": 1}
    moved = outside.put(address, {"name": "shop", "releases": {"Thrice": 2}})
    assert (moved.json()["differing"], moved.json()["webhook"]) == (0, made.json()["webhook"])
    other = {"name": "shop", "releases": {"Thrice": 2}, "url": f"{target.url}/2"}
    Webhook.objects.update(active=False)
    assert outside.put(address, other).json()["webhook"] == made.json()["webhook"]
    webhook = Webhook.objects.get()
    assert (webhook.url, webhook.active, webhook.secret) == (f"{target.url}/2", True, secret)
    count = len(target.received)
    assert outside.call("DELETE", address).status_code == 204
    publish(worker, "Add", "def Add(a, b):\n    return sum((a, b))\n", author="fay")
    assert (len(target.received), Canary.objects.count()) == (count, 0)
    assert not Webhook.objects.exists()
