"""The transactional outbox: events and work stored by a transaction and started by its commit."""

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import transaction

from runner.errors import NotRegistered
from runner.events.sequencer import sequence_topics
from runner.events.task_events import NewEvent, append_events
from runner.events.topics import open_topics
from runner.models import Batch
from runner.pipelines.doorbell import notify_workers
from runner.pipelines.follow_up_queue import NewFollowUp, append_rows
from runner.registry import handlers

log = logging.getLogger(__name__)

SEQUENCE_INTERVAL_SECONDS = 0.1


class _Pending(threading.local):
    """This thread's work for when its transaction is committed."""

    def __init__(self) -> None:
        self.topic_ids: set[int] = set()  # to sequence
        self.ready_count = 0  # programs that have become ready
        self.follow_up_count = 0
        self.is_batching = False  # inside `batched_sequencing`
        self.runs_follow_ups = False  # this thread runs follow-ups itself


_pending = _Pending()


def append_event(topic: str, type: str, payload: dict[str, Any]) -> None:  # noqa: A002
    """Append an event to the topic in the caller's transaction; it is numbered after the commit."""
    append_topic_events([(topic, type, payload)])


def append_topic_events(events: Sequence[tuple[str, str, dict[str, Any]]]) -> None:
    """Append (topic, type, payload) events; the order is kept within each topic."""
    topics = open_topics({topic for topic, _, _ in events})
    append_events([NewEvent(topics[topic].id, kind, payload) for topic, kind, payload in events])
    for topic in topics.values():
        sequence_after_commit(topic.id)


def enqueue_follow_up(
    name: str,
    target: str,
    *,
    batch: Batch | None = None,
    arguments: dict[str, Any] | None = None,
    owner_id: int | None = None,
) -> None:
    """Enqueue a call of the follow-up registered as `name`, after the caller's transaction.

    All rows of a target are passed in one call. The batch stays open until then; the caller must
    keep it open until the commit, as its recorder does. In fair queueing, the row counts for
    `owner_id`, or else for the batch's owner.
    """
    new = NewFollowUp(
        name=name,
        target=target,
        arguments=arguments or {},
        batch_id=batch.pk if batch else None,
        owner_id=owner_id,
    )
    enqueue_follow_ups([new])


def enqueue_follow_ups(new: Sequence[NewFollowUp]) -> None:
    """Enqueue many follow-ups, in as many queries as for one."""
    if unknown := {row.name for row in new} - handlers.follow_ups.keys():
        raise NotRegistered(f"no follow-up is registered as {', '.join(sorted(unknown))}")
    append_rows(new)
    if new:
        notify_of_follow_ups(len(new))


def sequence_after_commit(topic_id: int) -> None:
    """Sequence the topic when the transaction is committed."""
    _pending.topic_ids.add(topic_id)
    transaction.on_commit(_on_commit)


def notify_workers_after_commit(ready: int = 1) -> None:
    """Wake workers for this number of ready programs when the transaction is committed."""
    _pending.ready_count += ready
    transaction.on_commit(_on_commit)


def notify_of_follow_ups(count: int = 1) -> None:
    """Wake workers for this number of follow-ups after the commit.

    A thread that runs follow-ups itself takes one, so it wakes one worker less.
    """
    _pending.follow_up_count += count
    transaction.on_commit(_on_commit)


def mark_follow_up_thread() -> None:
    """Mark this thread as one that runs the follow-ups it has committed itself."""
    _pending.runs_follow_ups = True


def _on_commit() -> None:
    # This includes work of rolled-back transactions, which is harmless.
    others_to_run = max(0, _pending.follow_up_count - _pending.runs_follow_ups)
    ready = _pending.ready_count + others_to_run
    _pending.ready_count = _pending.follow_up_count = 0
    if ready:
        notify_workers(ready)
    if not _pending.is_batching:
        _sequence_pending()


@contextmanager
def batched_sequencing() -> Iterator[Callable[[], None]]:
    """Sequence the topics of several commits together, because many cost as much as one.

    Yields a function that sequences pending topics if the interval has passed; the rest is
    sequenced at the end of the block.
    """
    sequenced_at = time.monotonic()

    def sequence_if_due() -> None:
        nonlocal sequenced_at
        if time.monotonic() >= sequenced_at + SEQUENCE_INTERVAL_SECONDS:
            _sequence_pending()
            sequenced_at = time.monotonic()

    _pending.is_batching = True
    try:
        yield sequence_if_due
    finally:
        _pending.is_batching = False
        _sequence_pending()


def _sequence_pending() -> None:
    topic_ids, _pending.topic_ids = _pending.topic_ids, set()
    if topic_ids:
        _sequence_safely(sequence_topics, topic_ids)


def _sequence_safely(sequence: Callable[[set[int]], None], topic_ids: set[int]) -> None:
    """Sequence topics; log errors instead of raising, because the transaction is committed."""
    try:
        sequence(topic_ids)
    except Exception:
        log.exception("sequencing topics %s failed; left to the sweeper", sorted(topic_ids))
