"""Pairs (implementation and test) of a run's programs, and their labels."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from functions.models import Cell, Implementation, Test
from runner.models import Batch, Event, Task

# The ids of an implementation and a test; None: the program that only loads the implementation.
Pair = tuple[int, int | None]
Place = tuple[int, bytes]  # (batch, program's key)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkLabel:
    """The label of an implementation or a test."""

    id: int
    noun: str
    label: str  # `#7`, `T9`, `draft`
    title: str
    author: str


def place_of(task: Task) -> Place:
    return task.batch_id, bytes(task.execution.key)


def pairs_of(tasks: Sequence[Task]) -> dict[Place, Pair]:
    """Return each program's pair: from its cell, or for drafts from the submission's event."""
    public = {bytes(task.execution.key) for task in tasks if not task.batch.private}
    cells = {
        bytes(cell.key): (cell.implementation_id, cell.test_id)
        for cell in Cell.objects.filter(key__in=public)
        if cell.key is not None
    }
    announced = _pairs_in_events({task.batch for task in tasks if task.batch.private})
    return {
        place: pair
        for place in map(place_of, tasks)
        for pair in [announced.get(place) or cells.get(place[1])]
        if pair
    }


def _pairs_in_events(batches: Collection[Batch]) -> dict[Place, Pair]:
    """Return the pairs of these batches' programs from the submissions' events."""
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


def labels_of(pairs: Iterable[Pair]) -> dict[tuple[str, int], WorkLabel]:
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
