"""A run's page: its tasks, what came out of them, and the runs that it caused."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from functions.models import Cell, Function, Implementation, Test
from functions.pages.runs import Progress, progress, progress_of
from functions.pages.snapshot import snapshot
from runner.models import Batch, Event, Task
from runner.registry import Actor
from runner.states import State
from runner.topics import head

TASKS_SHOWN = 500
CHILDREN_SHOWN = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkLabel:
    """An implementation or a test in a word."""

    id: int
    noun: str
    label: str  # `#7`, `T9`, `draft`
    title: str
    author: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRow:
    """One program of a run; `implementation` and `test` are null where nothing tells any more."""

    id: int
    key: str
    state: str
    executed: bool
    attempts: int
    verdict: str | None
    message: str
    line: int | None
    cpu_us: int | None
    wall_us: int | None
    implementation: WorkLabel | None
    test: WorkLabel | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchPage:
    """A run as its page shows it."""

    batch: Batch
    function: Function | None
    draft: Implementation | Test | None
    owner: str
    topic: str
    epoch: int
    seq: int
    progress: Progress
    tasks: tuple[TaskRow, ...]  # at most 500, in the order of submission
    children: tuple[Progress, ...]  # at most 50


def batch_for(batch_id: int, actor: Actor) -> Batch | None:
    """Return the batch if there is one that this reader may see."""
    batch = Batch.objects.select_related("topic", "owner").filter(pk=batch_id).first()
    if batch is None or (batch.private and (actor.pk is None or batch.owner_id != actor.pk)):
        return None
    return batch


def batch_progress(batch_id: int, actor: Actor) -> Progress | None:
    """Return how far a batch is that this reader may see, or None."""
    with snapshot():
        batch = batch_for(batch_id, actor)
        return progress(batch) if batch else None


def batch_page(batch_id: int, actor: Actor) -> BatchPage | None:
    """Return a run that this reader may see, or None."""
    with snapshot():
        batch = batch_for(batch_id, actor)
        return _page(batch) if batch else None


def _page(batch: Batch) -> BatchPage:
    position = head(batch.topic.name)
    function, draft = subject_of(batch.topic.name)
    children = batch.children.filter(private=False).order_by("id")[:CHILDREN_SHOWN]
    return BatchPage(
        batch=batch,
        function=function,
        draft=draft,
        owner=batch.owner.get_username() if batch.owner else "",
        topic=batch.topic.name,
        epoch=position.epoch,
        seq=position.seq,
        progress=progress(batch),
        tasks=tuple(task_rows(batch, draft)),
        children=tuple(progress_of(list(children))),
    )


def subject_of(topic: str) -> tuple[Function | None, Implementation | Test | None]:
    """Return the function that a topic is about, and the draft if it is a draft's."""
    kind, _, number = topic.partition(":")
    if kind == "function" and number.isdecimal():
        return Function.objects.filter(pk=int(number)).first(), None
    noun, _, number = number.partition("-")
    models: dict[str, type[Implementation | Test]] = {
        model.noun: model for model in (Implementation, Test)
    }
    if kind != "draft" or noun not in models or not number.isdecimal():
        return None, None
    works: Any = models[noun].objects.select_related("function", "author")
    draft = works.filter(pk=int(number)).first()
    return (draft.function, draft) if draft else (None, None)


def task_rows(batch: Batch, draft: Implementation | Test | None) -> list[TaskRow]:
    """Return the tasks of a batch with what they are about."""
    tasks = list(
        Task.objects.filter(batch=batch)
        .select_related("execution__result")
        .defer("execution__program", "execution__result__log", "execution__result__trace")
        .order_by("id")[:TASKS_SHOWN]
    )
    keys = [bytes(task.execution.key) for task in tasks]
    pairs = announced_pairs(batch) if draft else _pairs_with_keys(keys)
    labels = _labels(pairs.values())
    return [_row(task, pairs.get(bytes(task.execution.key)), labels) for task in tasks]


Pair = tuple[int, int | None]


def announced_pairs(batch: Batch) -> dict[bytes, Pair]:
    """Return what each program of a batch is about, as its submission announced it."""
    submitted = Event.objects.filter(
        topic=batch.topic_id, type="batch.submitted", payload__batch=batch.pk
    ).first()
    cells = submitted.payload.get("cells", ()) if submitted else ()
    return {bytes.fromhex(key): (i, t) for i, t, key in cells if key is not None}


def _pairs_with_keys(keys: list[bytes]) -> dict[bytes, Pair]:
    return {
        bytes(cell.key): (cell.implementation_id, cell.test_id)
        for cell in Cell.objects.filter(key__in=keys)
        if cell.key is not None
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


def _row(task: Task, pair: Pair | None, labels: dict[tuple[str, int], WorkLabel]) -> TaskRow:
    execution = task.execution
    result = getattr(execution, "result", None)
    implementation, test = pair or (None, None)
    return TaskRow(
        id=task.pk,
        key=bytes(execution.key).hex(),
        state=State(task.state).label,
        executed=task.executed,
        attempts=execution.attempts,
        verdict=result.verdict if result else None,
        message=result.message if result else "",
        line=result.line if result else None,
        cpu_us=result.cpu_us if result else None,
        wall_us=result.wall_us if result else None,
        implementation=labels.get((Implementation.noun, implementation or 0)),
        test=labels.get((Test.noun, test or 0)),
    )
