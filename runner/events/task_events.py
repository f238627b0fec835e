"""Appends events, and calls recorders for finished tasks, in the caller's transaction."""

import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from django.db import connection, transaction
from psycopg.types.json import Jsonb

from runner.registry import FinishedTask, handlers
from runner.states import State

log = logging.getLogger(__name__)

T = TypeVar("T")

# Rows are inserted in the order of the events. They are passed as one JSON document, because
# psycopg escapes arrays element by element.
_APPEND = """
    insert into runner_outboxevent (topic_id, events)
    select e.topic_id, e.events
    from rows from (jsonb_to_recordset(%s) as (topic_id bigint, events jsonb))
        with ordinality as e (topic_id, events, n)
    order by e.n
"""
EVENTS_PER_ROW = 100


class OpenTask(NamedTuple):
    """An open task of an execution, with its topic and its batch's recorder."""

    task_id: int
    batch_id: int
    execution_id: int
    topic_id: int
    recorder: str
    is_load_check: bool


class ExecutionEnd(NamedTuple):
    """How an execution ended, for all tasks waiting for it."""

    key: bytes
    state: State
    attempt: int
    verdict: str | None = None
    message: str = ""
    line: int | None = None
    cpu_us: int | None = None
    wall_us: int | None = None


class NewEvent(NamedTuple):
    """An event to append to a topic."""

    topic_id: int
    type: str
    payload: dict[str, Any]


def append_events(events: Sequence[NewEvent]) -> None:
    """Append the events, in this order within each topic; they are numbered after the commit."""
    if not events:
        return
    by_topic: dict[int, list[tuple[str, dict[str, Any]]]] = defaultdict(list)
    for event in events:
        by_topic[event.topic_id].append((event.type, event.payload))
    document: Any = Jsonb(
        [
            {"topic_id": topic_id, "events": some}
            for topic_id, of_topic in by_topic.items()
            for some in _in_rows(of_topic)
        ]
    )
    with connection.cursor() as cursor:
        cursor.execute(_APPEND, [document])


def _in_rows(events: Sequence[T]) -> Iterator[Sequence[T]]:
    for first in range(0, len(events), EVENTS_PER_ROW):
        yield events[first : first + EVENTS_PER_ROW]


def finished_event(task: OpenTask, end: ExecutionEnd, *, cached: bool = False) -> NewEvent:
    """Return the event of a task's end; `cached` if the result was known already."""
    payload = {
        "batch": task.batch_id,
        "task": task.task_id,
        "key": end.key.hex(),
        "state": end.state.label,
        "verdict": end.verdict,
        "message": end.message,
        "line": end.line,
        "cpu_us": end.cpu_us,
        "wall_us": end.wall_us,
        "attempt": end.attempt,
        "cached": cached,
        "load_check": task.is_load_check,
    }
    return NewEvent(task.topic_id, "task.finished", payload)


def notify_recorders(tasks: Iterable[tuple[OpenTask, ExecutionEnd]]) -> None:
    """Call each recorder once, with all of its tasks ordered by id."""
    by_recorder: dict[str, list[FinishedTask]] = defaultdict(list)
    for task, end in sorted(tasks):
        if task.recorder:
            by_recorder[task.recorder].append(_finished(task, end))
    for name, finished in sorted(by_recorder.items()):
        handlers.recorders[name](finished)


def notify_recorders_safely(tasks: Iterable[tuple[OpenTask, ExecutionEnd]]) -> None:
    """Like `notify_recorders`, for tasks that must become final even if a recorder fails."""
    try:
        with transaction.atomic():
            notify_recorders(tasks)
    except Exception:
        log.exception("a recorder failed for tasks that were given up or cancelled")


def _finished(task: OpenTask, end: ExecutionEnd) -> FinishedTask:
    return FinishedTask(
        task_id=task.task_id,
        batch_id=task.batch_id,
        key=end.key,
        state=end.state,
        verdict=end.verdict,
        cpu_us=end.cpu_us,
        message=end.message,
        line=end.line,
    )
