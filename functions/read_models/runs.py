"""Read models of runs: progress and logs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import Exists, OuterRef, Q, QuerySet

from functions.read_models.prepared_queries import Parameter, PreparedQuery
from runner.batches.queries import counts_of_batches, sum_counts, task_counts
from runner.models import Batch, Task
from runner.sandbox import Verdict
from runner.states import FINAL_STATES, FLAKY, BatchState, State

LOG_LINES_SHOWN = 500
LOG_LINES_SHOWN_OF_ONE_RUN = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The progress of a batch; `executed` counts programs that were not known before.

    Load checks are counted in `load_checks` and `retryable` only.
    """

    id: int
    cause: str
    state: str
    all_tasks_loaded: bool
    parent: int | None
    total: int
    load_checks: int
    executed: int
    retryable: int  # tasks that ended without a result
    tasks: dict[str, int]
    verdicts: dict[str, int]
    created_at: datetime
    finished_at: datetime | None

    @property
    def finished(self) -> int:
        """Number of final tasks."""
        return sum(self.tasks[state.label] for state in FINAL_STATES)

    @property
    def reused(self) -> int:
        """Number of tasks whose result was known already."""
        return self.tasks[State.SUCCEEDED.label] - self.executed

    @property
    def has_tasks(self) -> bool:
        return self.total + self.load_checks > 0

    @property
    def is_open(self) -> bool:
        return self.state == BatchState.OPEN.label

    @property
    def unmade(self) -> int:
        """Number of tasks that ended without a verdict."""
        return self.tasks[State.IGNORED.label] + self.tasks[State.CANCELLED.label]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLine:
    """A line of a program's log, identified by (key, run, number).

    `more` is the number of further lines that are not shown.
    """

    key: str
    run: int
    number: int  # from 0
    ms: float
    stream: str
    text: str
    more: int = 0


def progress(batch: Batch) -> Progress:
    """Return the progress of a batch, in one query."""
    return progress_of([batch])[0]


def progress_of(batches: Sequence[Batch]) -> list[Progress]:
    """Return the progress of each batch, in one query."""
    counts = counts_of_batches(batch.pk for batch in batches)
    return [_progress(batch, counts[batch.pk]) for batch in batches]


def last_progress(topic: str) -> Progress | None:
    """Return the progress of a topic's last public batch, in one query.

    Finished batches without tasks, such as withdrawals, are skipped.
    """
    found: list[Any] = _LAST_RUN.rows(topic=topic)
    return _progress(found[0], sum_counts(found[0].counted)) if found else None


def _last_run() -> QuerySet[Batch]:
    has_tasks = Exists(Task.objects.filter(batch=OuterRef("pk")))
    runs = Batch.objects.filter(
        has_tasks | Q(state=BatchState.OPEN), topic__name=Parameter("topic")
    )
    public = runs.filter(private=False).order_by("-id")
    return public.annotate(counted=task_counts())[:1]


_LAST_RUN = PreparedQuery(_last_run)


def _progress(batch: Batch, counts: Mapping[str, Any]) -> Progress:
    none = dict.fromkeys([*map(str, Verdict), FLAKY], 0)
    return Progress(
        id=batch.pk,
        cause=batch.cause,
        state=BatchState(batch.state).label,
        all_tasks_loaded=batch.all_tasks_loaded,
        parent=batch.parent_id,
        total=counts["total"],
        load_checks=counts["load_checks"],
        retryable=counts["retryable"],
        executed=counts["executed"],
        tasks=counts["tasks"],
        verdicts={**none, **counts["verdicts"]},
        created_at=batch.created_at,
        finished_at=batch.finished_at,
    )


def log_of(batch_id: int) -> list[LogLine]:
    """Return the first log lines of each of a batch's programs, program by program."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            select execution.key, result.token, line.number - 1,
                   (line.value->>0)::float8, line.value->>1, line.value->>2,
                   jsonb_array_length(result.log) - line.number
              from runner_task task
              join runner_execution execution on execution.id = task.execution_id
              join runner_result result on result.execution_id = execution.id
              cross join lateral jsonb_array_elements(result.log) with ordinality
                   as line(value, number)
             where task.batch_id = %s and line.number <= %s
             order by task.id, line.number
             limit %s
            """,
            [batch_id, LOG_LINES_SHOWN_OF_ONE_RUN, LOG_LINES_SHOWN],
        )
        rows = cursor.fetchall()
    last_shown = {bytes(key): number for key, _, number, *_ in rows}
    return [
        LogLine(
            key=bytes(key).hex(),
            run=run,
            number=number,
            ms=ms,
            stream=stream,
            text=text,
            more=left if number == last_shown[bytes(key)] else 0,
        )
        for key, run, number, ms, stream, text, left in rows
    ]
