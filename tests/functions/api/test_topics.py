"""Events, for clients that cannot open a socket."""

import re
from datetime import timedelta

import pytest

from functions.models import Function
from runner.events.topics import event_fields, read_events
from runner.models import Event, Topic
from tests.functions.api.conftest import Caller, assert_problem
from tests.support import builders as make


def fill(name: str, events: int) -> None:
    topic, _ = Topic.objects.update_or_create(name=name, defaults={"head_seq": events})
    Event.objects.filter(topic=topic).delete()
    for seq in range(1, events + 1):
        Event.objects.create(
            topic=topic, seq=seq, type="notice", payload={"n": seq}, created_at=make.SINCE
        )


def test_events_after_a_place_are_read_in_order(nobody: Caller, add: Function) -> None:
    fill(add.topic, 3)
    page = nobody.get(f"/topics/{add.topic}/events?after=1").json()
    assert (page["topic"], page["epoch"], page["head"]) == (add.topic, 1, 3)
    assert [event["seq"] for event in page["events"]] == [2, 3]
    assert page["events"][0].keys() == {"seq", "type", "payload", "at"}
    assert page["reset"] is False


def test_an_event_reads_the_same_as_over_a_socket(nobody: Caller, add: Function) -> None:
    fill(add.topic, 2)
    Event.objects.filter(seq=2).update(created_at=make.SINCE + timedelta(microseconds=1_234_567))
    events = nobody.get(f"/topics/{add.topic}/events").json()["events"]
    assert events == [event_fields(entry) for entry in read_events(add.topic, 0)]
    times = [re.sub(r"^\d+-\d\d-\d\dT\d\d:\d\d:\d\d", "", event["at"]) for event in events]
    assert times == [".000Z", ".234Z"]


@pytest.mark.parametrize("query", ["after=9", "after=1&epoch=7"])
def test_a_place_that_is_not_in_the_log_asks_for_a_reset(
    nobody: Caller, add: Function, query: str
) -> None:
    fill(add.topic, 3)
    page = nobody.get(f"/topics/{add.topic}/events?{query}").json()
    assert (page["reset"], page["events"]) == (True, [])


def test_a_drafts_events_are_its_authors_alone(
    mira: Caller, otto: Caller, nobody: Caller, add: Function
) -> None:
    draft = mira.post("/functions/Add/tests/", {"code": "x = 1"}).json()["id"]
    path = f"/topics/draft:test-{draft}/events"
    assert mira.get(path).status_code == 200
    for other in (otto, nobody):
        assert_problem(other.get(path), 404, "not_found")


@pytest.mark.parametrize("topic", ["function:999999", "song:1", "function:x", "%00", "function:"])
def test_a_topic_that_is_not_there_is_a_problem(nobody: Caller, topic: str) -> None:
    assert_problem(nobody.get(f"/topics/{topic}/events"), 404, "not_found")


@pytest.mark.parametrize("after", ["-1", "x", str(2**63)])
def test_a_place_that_cannot_be_is_malformed(nobody: Caller, add: Function, after: str) -> None:
    response = nobody.get(f"/topics/{add.topic}/events?after={after}")
    assert_problem(response, 400, "malformed")
