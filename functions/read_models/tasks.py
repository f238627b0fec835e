"""Read models of tasks: subject, result and attempts."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from functions.models import AcceptanceTest, Implementation, Test
from functions.read_models.acceptance import acceptance_tests_of
from functions.read_models.attempts import AttemptRow, attempt_row, is_of, run_again_at
from functions.read_models.cursors import decode_place, encode_cursor
from functions.read_models.run_pairs import Pair, WorkLabel, labels_of, pairs_of, place_of
from functions.read_models.snapshot import snapshot
from runner.batches.queries import attempts_of, tasks_newest_first, verdict_of_task, visible_to
from runner.models import Attempt, Execution, Task
from runner.registry import Actor
from runner.states import State

TASKS_SHOWN = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRow:
    """A program of a run; `implementation` and `test` are None if they were deleted.

    Results are stored by program, so a later run's result is shown here too; `run_again_at` is
    the start of that run, else None.
    """

    id: int
    batch: int
    key: str
    state: str
    executed: bool
    verdict: str | None
    message: str
    line: int | None
    cpu_us: int | None
    wall_us: int | None
    queued_at: datetime
    finished_at: datetime | None
    run_again_at: datetime | None
    tries: tuple[AttemptRow, ...]  # latest first
    implementation: WorkLabel | None
    test: WorkLabel | None
    acceptance: AcceptanceTest | None = None  # set if the program is an acceptance test's

    @property
    def attempts(self) -> int:
        """Number of attempts, without those that were handed back."""
        return max((one.number for one in self.tries if one.outcome != "handed_back"), default=0)

    @property
    def started_at(self) -> datetime | None:
        """Start of the last attempt; None if there was none."""
        return self.tries[0].started_at if self.tries else None

    @property
    def worker(self) -> str:
        """Name of the worker of the last attempt."""
        return self.tries[0].worker if self.tries else ""

    @property
    def has_troubles(self) -> bool:
        """Whether any attempt failed."""
        return any(one.error or one.outcome in ("lost", "repeated") for one in self.tries)

    @property
    def what(self) -> str:
        """The subject in one line."""
        if self.acceptance:
            test = self.acceptance
            return _("%(test)s of %(target)s, for %(function)s") % {
                "test": f"{test} {test.title}",
                "target": test.target.name,
                "function": test.function.name,
            }
        if self.implementation is None:
            return ""
        who = f"{self.implementation.label} {self.implementation.author}"
        if self.test is None:
            return _("%(work)s, load check") % {"work": who}
        return f"{who} × {self.test.label} {self.test.title}"

    @property
    def where(self) -> str:
        """The subject in two words, as in logs."""
        if self.implementation is None:
            return str(self.acceptance or "")
        return f"{self.implementation.label} {self.test.label if self.test else _('loading')}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskPage:
    """A page of tasks; `next` is the next page's cursor, or empty."""

    rows: tuple[TaskRow, ...]
    next: str


def task_list(
    actor: Actor,
    *,
    batch: int | None = None,
    state: str = "",
    verdict: str = "",
    cursor: str = "",
    limit: int = TASKS_SHOWN,
) -> TaskPage:
    """Return the tasks visible to this reader, newest run first, in order of submission.

    The filter by verdict only applies within one batch. Raises BadCursor.
    """
    with snapshot():
        found = _visible(actor, batch, cursor)
        if state:
            found = found.filter(state=State[state.upper()])
        if verdict and batch is not None:
            found = found.alias(verdict=verdict_of_task())
            found = found.filter(state=State.SUCCEEDED, verdict=verdict)
        tasks = list(found[: limit + 1])
        shown = tasks[:limit]
        last = shown[-1] if len(tasks) > limit else None
        return TaskPage(
            rows=tuple(rows_of(shown)),
            next=encode_cursor(last.batch_id, last.pk) if last else "",
        )


def task_row(task_id: int, actor: Actor) -> TaskRow | None:
    """Return a task; None if the reader may not see it."""
    with snapshot():
        rows = rows_of(list(_visible(actor, None, "").filter(pk=task_id)))
        return rows[0] if rows else None


def _visible(actor: Actor, batch: int | None, cursor: str) -> QuerySet[Task]:
    place = decode_place(cursor, 2) if cursor else None
    if batch is None:
        tasks = tasks_newest_first(place)
    else:
        tasks = tasks_newest_first().filter(batch=batch)
        tasks = tasks.filter(pk__gt=place[1]) if place else tasks
    return tasks.filter(visible_to(actor, "batch")).select_related("batch")


def rows_of(tasks: Sequence[Task]) -> list[TaskRow]:
    """Return the rows of tasks, which are loaded with their batches, in a few queries."""
    ids = [task.execution_id for task in tasks]
    executions = (
        Execution.objects.select_related("result")
        .defer("program", "result__log", "result__trace", "result__cases", "result__value")
        .in_bulk(ids)
    )
    for task in tasks:
        task.execution = executions[task.execution_id]
    pairs = pairs_of(tasks)
    labels = labels_of(pairs.values())
    tries = attempts_of(ids)
    acceptance = {
        bytes(test.key): test
        for test in acceptance_tests_of({key for _, key in map(place_of, tasks)})
        if test.key is not None
    }
    return [
        replace(
            _row(task, tries.get(task.execution_id, ()), pairs.get(place_of(task)), labels),
            acceptance=acceptance.get(bytes(task.execution.key)),
        )
        for task in tasks
    ]


def _row(
    task: Task,
    attempts: Sequence[Attempt],
    pair: Pair | None,
    labels: dict[tuple[str, int], WorkLabel],
) -> TaskRow:
    # An execution may have an earlier or later result that isn't this task's.
    result = getattr(task.execution, "result", None) if task.state == State.SUCCEEDED else None
    implementation, test = pair or (None, None)
    return TaskRow(
        id=task.pk,
        batch=task.batch_id,
        key=bytes(task.execution.key).hex(),
        state=State(task.state).label,
        executed=task.executed,
        verdict=result.verdict if result else None,
        message=result.message if result else "",
        line=result.line if result else None,
        cpu_us=result.cpu_us if result else None,
        wall_us=result.wall_us if result else None,
        queued_at=task.batch.created_at,
        finished_at=task.finished_at,
        run_again_at=run_again_at(attempts, task) if result else None,
        tries=tuple(attempt_row(one) for one in attempts if is_of(one, task)),
        implementation=labels.get((Implementation.noun, implementation or 0)),
        test=labels.get((Test.noun, test or 0)),
    )
