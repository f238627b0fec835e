"""What programs of a run are about, and what that is called: an implementation, and a test."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from functions.models import Cell, Implementation, Test
from runner.models import Batch, Event, Task

# An implementation's id and a test's, or none: does it load?
Pair = tuple[int, int | None]
Place = tuple[int, bytes]  # a batch, and a program in it


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkLabel:
    """An implementation or a test in a word."""

    id: int
    noun: str
    label: str  # `#7`, `T9`, `draft`
    title: str
    author: str


def place_of(task: Task) -> Place:
    return task.batch_id, bytes(task.execution.key)


def pairs_of(tasks: Sequence[Task]) -> dict[Place, Pair]:
    """Return what each program is about: by its square, or a draft's by what was announced."""
    public = {bytes(task.execution.key) for task in tasks if not task.batch.private}
    squares = {
        bytes(cell.key): (cell.implementation_id, cell.test_id)
        for cell in Cell.objects.filter(key__in=public)
        if cell.key is not None
    }
    announced = _announced({task.batch for task in tasks if task.batch.private})
    return {
        place: pair
        for place in map(place_of, tasks)
        for pair in [announced.get(place) or squares.get(place[1])]
        if pair
    }


def _announced(batches: Collection[Batch]) -> dict[Place, Pair]:
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
