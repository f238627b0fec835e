"""Tasks as they are shown: what each is about, what came of it, and every attempt at it."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import QuerySet

from functions.models import AcceptanceTest, Cell, Implementation, Test
from functions.pages.acceptance import acceptance_tests_of
from functions.pages.cursors import decode_place, encode_cursor
from functions.pages.snapshot import snapshot
from runner.models import Attempt, Batch, Event, Execution, Task
from runner.querysets import attempts_at, tasks_in_turn, verdict_of_task, visible_to
from runner.registry import Actor
from runner.states import State

TASKS_SHOWN = 100

# An implementation's id and a test's, or none: does it load?
Pair = tuple[int, int | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkLabel:
    """An implementation or a test in a word."""

    id: int
    noun: str
    label: str  # `#7`, `T9`, `draft`
    title: str
    author: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptRow:
    """One try; `error` is empty, or ends with the sentence that says what went wrong."""

    number: int
    outcome: str
    error: str
    worker: str
    started_at: datetime
    ended_at: datetime | None

    @property
    def word(self) -> str:
        """How it ended, as people read it."""
        return self.outcome.replace("_", " ")

    @property
    def summary(self) -> str:
        """What went wrong, without how it came to it."""
        lines = self.error.strip().splitlines()
        return lines[-1] if lines else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRow:
    """One program of a run; `implementation` and `test` are null where nothing tells any more.

    Results are kept by program. So what a later run has found since is what this one says, too:
    `run_again_at` is when that run began, else null.
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
    tries: tuple[AttemptRow, ...]  # the last one first
    implementation: WorkLabel | None
    test: WorkLabel | None
    acceptance: AcceptanceTest | None = None  # where it is that, and no square

    @property
    def attempts(self) -> int:
        """How many attempts count; what was handed back does not."""
        return max((one.number for one in self.tries if one.outcome != "handed_back"), default=0)

    @property
    def started_at(self) -> datetime | None:
        """When the last attempt began; null of what was known, or not begun."""
        return self.tries[0].started_at if self.tries else None

    @property
    def worker(self) -> str:
        """Who made the last attempt."""
        return self.tries[0].worker if self.tries else ""

    @property
    def has_troubles(self) -> bool:
        """Whether there is more to tell of its attempts than that they came to a result."""
        return any(one.error or one.outcome in ("lost", "repeated") for one in self.tries)

    @property
    def what(self) -> str:
        """What it is about, in a line."""
        if self.acceptance:
            test = self.acceptance
            return f"{test} {test.title} of {test.target.name}, for {test.function.name}"
        if self.implementation is None:
            return ""
        who = f"{self.implementation.label} {self.implementation.author}"
        return f"{who} × {self.test.label} {self.test.title}" if self.test else f"{who}, alone"

    @property
    def where(self) -> str:
        """The same in two words, as logs have it."""
        if self.implementation is None:
            return str(self.acceptance or "")
        return f"{self.implementation.label} {self.test.label if self.test else 'loading'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskPage:
    """A page of tasks; `next` is the cursor of the page that follows, or empty."""

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
    """Return tasks that this reader may see, of the newest run first, as they were submitted.

    A verdict is looked for in one run only. Raises BadCursor.
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
    """Return a task that this reader may see, or None."""
    with snapshot():
        rows = rows_of(list(_visible(actor, None, "").filter(pk=task_id)))
        return rows[0] if rows else None


def _visible(actor: Actor, batch: int | None, cursor: str) -> QuerySet[Task]:
    place = decode_place(cursor, 2) if cursor else None
    if batch is None:
        tasks = tasks_in_turn(place)
    else:
        tasks = tasks_in_turn().filter(batch=batch)
        tasks = tasks.filter(pk__gt=place[1]) if place else tasks
    return tasks.filter(visible_to(actor, "batch")).select_related("batch")


def rows_of(tasks: Sequence[Task]) -> list[TaskRow]:
    """Return these tasks, each with its batch, with what they are about; few queries for all."""
    ids = [task.execution_id for task in tasks]
    executions = (
        Execution.objects.select_related("result")
        .defer("program", "result__log", "result__trace", "result__cases", "result__value")
        .in_bulk(ids)
    )
    for task in tasks:
        task.execution = executions[task.execution_id]
    pairs = _pairs(tasks)
    labels = _labels(pairs.values())
    tries = attempts_at(ids)
    acceptance = {
        bytes(test.key): test
        for test in acceptance_tests_of({key for _, key in map(_place, tasks)})
        if test.key is not None
    }
    return [
        replace(
            _row(task, tries.get(task.execution_id, ()), pairs.get(_place(task)), labels),
            acceptance=acceptance.get(bytes(task.execution.key)),
        )
        for task in tasks
    ]


Place = tuple[int, bytes]  # a batch, and a program in it


def _place(task: Task) -> Place:
    return task.batch_id, bytes(task.execution.key)


def _pairs(tasks: Sequence[Task]) -> dict[Place, Pair]:
    """Return what each program is about: by its square, or a draft's by what was announced."""
    public = {bytes(task.execution.key) for task in tasks if not task.batch.private}
    squares = {
        bytes(cell.key): (cell.implementation_id, cell.test_id)
        for cell in Cell.objects.filter(key__in=public)
        if cell.key is not None
    }
    announced = announced_pairs({task.batch for task in tasks if task.batch.private})
    return {
        place: pair
        for place in map(_place, tasks)
        for pair in [announced.get(place) or squares.get(place[1])]
        if pair
    }


def announced_pairs(batches: Collection[Batch]) -> dict[Place, Pair]:
    """Return what the programs of these batches are about, as their submission announced it."""
    if not batches:
        return {}
    submitted = Event.objects.filter(
        topic__in={batch.topic_id for batch in batches},
        type="batch.submitted",
        payload__batch__in=[batch.pk for batch in batches],
    )
    return {
        (event.payload["batch"], bytes.fromhex(key)): (i, t)
        for event in submitted
        for i, t, key in event.payload.get("cells", ())
        if key is not None
    }


def _labels(pairs: Iterable[Pair]) -> dict[tuple[str, int], WorkLabel]:
    found = list(pairs)
    implementations = Implementation.objects.filter(pk__in={i for i, _ in found})
    tests = Test.objects.filter(pk__in={t for _, t in found if t is not None})
    return {
        (work.noun, work.pk): WorkLabel(
            id=work.pk,
            noun=work.noun,
            label=str(work) if work.number else "draft",
            title=work.title,
            author=work.author.get_username(),
        )
        for works in (implementations, tests)
        for work in works.select_related("author").defer("code")
    }


def _row(
    task: Task,
    attempts: Sequence[Attempt],
    pair: Pair | None,
    labels: dict[tuple[str, int], WorkLabel],
) -> TaskRow:
    # An execution may have had a result before, or since, that this task has nothing to do with.
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
        run_again_at=_run_again_at(attempts, task) if result else None,
        tries=tuple(_attempt_row(one) for one in attempts if _is_of(one, task)),
        implementation=labels.get((Implementation.noun, implementation or 0)),
        test=labels.get((Test.noun, test or 0)),
    )


def _is_of(attempt: Attempt, task: Task) -> bool:
    """Tell whether an attempt was made while the task waited for it."""
    if task.state == State.SUCCEEDED and not task.executed:
        return False
    is_early = attempt.ended_at is not None and attempt.ended_at < task.batch.created_at
    return not (is_early or _is_late(attempt, task))


def _is_late(attempt: Attempt, task: Task) -> bool:
    return task.finished_at is not None and attempt.started_at > task.finished_at


def _run_again_at(attempts: Iterable[Attempt], task: Task) -> datetime | None:
    """Return when the attempt began that brought another result after the task's."""
    recorded = (one for one in attempts if one.outcome == Attempt.Outcome.RECORDED)
    return max((one.started_at for one in recorded if _is_late(one, task)), default=None)


def _attempt_row(attempt: Attempt) -> AttemptRow:
    return AttemptRow(
        number=attempt.number,
        outcome=str(Attempt.Outcome(attempt.outcome).name.lower()),
        error=attempt.error,
        worker=attempt.worker,
        started_at=attempt.started_at,
        ended_at=attempt.ended_at,
    )
