"""Topics: their rows, positions in their logs, and pages of events."""

import time
from collections.abc import Collection, Iterable
from datetime import UTC, datetime
from typing import Any, NamedTuple

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import transaction
from django.db.models import Max

from runner.models import Event, Topic
from runner.registry import may_follow

Actor = AbstractBaseUser | AnonymousUser

PAGE_EVENTS = 300


class Head(NamedTuple):
    """A topic's epoch and its last sequence number."""

    epoch: int
    seq: int


class TopicState(NamedTuple):
    """A topic's row; its stored events are `first_seq` to `head_seq`."""

    id: int
    epoch: int
    first_seq: int
    head_seq: int


class Entry(NamedTuple):
    """An event of the log."""

    seq: int
    type: str
    payload: Any
    at: datetime


NO_EVENTS_YET = TopicState(id=0, epoch=1, first_seq=1, head_seq=0)
# A topic without events or followers. Its epoch is that of all topics without a row. It has a row
# itself once a backup has been restored (`manage.py after_restore`).
HISTORY = "history:0"
# 1 January 2020. The seconds since then exceed all earlier epochs, even those of a lost database,
# and fit the column until 2088.
FIRST_EPOCH_AT = 1_577_836_800


def head(topic: str) -> Head:
    """Return the topic's head. A page must read it before the state that it shows."""
    return heads([topic])[topic]


def heads(topics: Iterable[str]) -> dict[str, Head]:
    """Return the heads of these topics in one query; a topic without a row is at 0."""
    names = list(topics)
    states = topic_states([*names, HISTORY])
    none_yet = states.get(HISTORY, NO_EVENTS_YET)
    return {
        name: Head(state.epoch, state.head_seq)
        for name in names
        for state in (states.get(name, none_yet),)
    }


def topic_states(topics: Collection[str]) -> dict[str, TopicState]:
    """Return the topics' rows by name, in one query; topics without a row are left out."""
    rows = Topic.objects.filter(name__in=topics).values_list(
        "name", "id", "epoch", "first_seq", "head_seq"
    )
    return {name: TopicState(*state) for name, *state in rows}


def open_topic(topic: str) -> TopicState:
    """Return the topic's row, created if missing."""
    return open_topics([topic])[topic]


def open_topics(topics: Collection[str]) -> dict[str, TopicState]:
    """Return the topics' rows by name, created if missing; one query if none is missing."""
    states = topic_states(topics) if topics else {}
    if missing := sorted(set(topics) - states.keys()):
        epoch = head(HISTORY).epoch
        rows = [Topic(name=name, epoch=epoch) for name in missing]
        # Sorted, so that concurrent calls can't deadlock.
        Topic.objects.bulk_create(rows, ignore_conflicts=True)
        states |= topic_states(missing)
    return states


def begin_epoch() -> int:
    """Give all topics, present and future, a new epoch; return it.

    For a restored database, whose events differ from those that clients have seen.
    """
    with transaction.atomic():
        highest = Topic.objects.aggregate(highest=Max("epoch"))["highest"] or 1
        epoch = max(int(highest) + 1, int(time.time()) - FIRST_EPOCH_AT)
        Topic.objects.bulk_create([Topic(name=HISTORY)], ignore_conflicts=True)
        Topic.objects.update(epoch=epoch)
    return epoch


def read_events(topic: str, after: int, limit: int = PAGE_EVENTS) -> list[Entry]:
    """Return the topic's next events after `after`, without gaps."""
    rows = (
        Event.objects.filter(topic__name=topic, seq__gt=after)
        .order_by("seq")
        .values_list("seq", "type", "payload", "created_at")[:limit]
    )
    return [Entry(*row) for row in rows]


def reset_reason(state: TopicState, epoch: int | None, after: int) -> str:
    """Return why a client can't continue after `after`; empty if it can."""
    if epoch is not None and epoch != state.epoch:
        return "epoch"
    if after > state.head_seq:
        return "future"
    if after + 1 < state.first_seq:
        return "purged"
    return ""


def poll_events(actor: Actor, topic: str, after: int, epoch: int | None = None) -> dict[str, Any]:
    """Return the next page of events, for clients that can't open a socket.

    The response is `{topic, epoch, head, events}`. If the client can't continue after `after`,
    `events` is empty and `reset` (true) and `reason` are added. Raises PermissionError if the actor
    may not follow the topic, whether or not it exists.
    """
    if not may_follow(actor, topic):
        raise PermissionError(f"topic {topic} doesn't exist, or this user may not follow it")
    states = topic_states([topic, HISTORY])
    state = states.get(topic) or states.get(HISTORY, NO_EVENTS_YET)
    reason = reset_reason(state, epoch, after)
    entries = [] if reason else read_events(topic, after)
    if entries and entries[0].seq != after + 1:  # purged since the row was read
        reason, entries = "purged", []
    response = {
        "topic": topic,
        "epoch": state.epoch,
        "head": max(state.head_seq, entries[-1].seq) if entries else state.head_seq,
        "events": [event_fields(entry) for entry in entries],
    }
    return {**response, "reset": True, "reason": reason} if reason else response


def event_fields(entry: Entry) -> dict[str, Any]:
    """Return an event in the form for clients, over sockets and by polling."""
    at = entry.at.astimezone(UTC).isoformat(timespec="milliseconds")
    return {
        "seq": entry.seq,
        "type": entry.type,
        "payload": entry.payload,
        "at": at.replace("+00:00", "Z"),
    }
