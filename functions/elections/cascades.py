"""Cascades: batches of affected dependents by level, and superseded programs."""

from collections.abc import Collection, Iterable

from functions.locks import hold_batch
from functions.models import Function, Level, Supersession
from runner.batches.submission import submit_batch
from runner.batches.supersession import cancel_programs
from runner.models import Batch
from runner.pipelines.outbox import append_event
from runner.states import BatchState


def open_level(function: Function, batch: Batch | None, cause: str) -> Batch:
    """Return the batch for dependents that a change of this function reaches.

    It is a child of the cascade's root; a change without a batch, by votes for example, starts its
    own cascade. If the level's batch has ended already, a new one is created. The caller holds the
    elections lock, so one level is opened at a time.
    """
    return Levels([batch] if batch else []).open(function, batch, cause)


class Levels:
    """The levels below these batches, each looked up once; see `open_level`."""

    def __init__(self, batches: Iterable[Batch]) -> None:
        self._levels = levels_of(batches)
        self._create_level: dict[tuple[int, int], Batch] = {}

    def open(self, function: Function, batch: Batch | None, cause: str) -> Batch:
        """Return the batch for dependents that a change of this function reaches."""
        root, above = self._levels[batch.pk] if batch else (_start_cascade(function, cause), 0)
        place = (root.pk, above + 1)
        if place not in self._create_level:
            self._create_level[place] = _find_open(root, above + 1) or _create_level(
                root, above + 1, function
            )
        return self._create_level[place]


def _find_open(root: Batch, number: int) -> Batch | None:
    levels = Level.objects.filter(root=root, number=number, batch__state=BatchState.OPEN)
    held = (level.batch for level in levels.select_related("batch") if hold_batch(level.batch_id))
    return next(held, None)


def _create_level(root: Batch, number: int, function: Function) -> Batch:
    opened = submit_batch(
        topic=root.topic.name,
        programs=[],
        owner=root.owner,
        cause=f"level {number} of what {function.name} changes"[:100],
        parent=root,
    )
    Level.objects.create(batch=opened, root=root, number=number)
    return opened


def _start_cascade(function: Function, cause: str) -> Batch:
    return submit_batch(topic=function.topic, programs=[], cause=cause[:100])


def level_of(batch: Batch) -> tuple[Batch, int]:
    """Return the root batch of a batch's cascade, and the number of its level."""
    return levels_of([batch])[batch.pk]


def levels_of(batches: Iterable[Batch]) -> dict[int, tuple[Batch, int]]:
    """Return root batch and level by batch id, in one query."""
    by_id = {batch.pk: batch for batch in batches}
    ids = by_id.keys() | {batch.parent_id for batch in by_id.values()}
    rows = Level.objects.filter(batch__in=[pk for pk in ids if pk])
    levels = {row.pk: row for row in rows.select_related("root__topic", "root__owner")}
    return {
        pk: (level.root, level.number)
        if (level := levels.get(batch.parent_id or 0) or levels.get(pk))
        else (batch, 0)
        for pk, batch in by_id.items()
    }


def supersede(
    keys: Collection[bytes], *, recorder: str, cause: str, successor: Batch | None
) -> None:
    """Cancel the tasks of these obsolete programs, and record the cause.

    The caller holds their executions.
    """
    if not keys:
        return
    cancelled = cancel_programs(keys, recorder=recorder, reason=f"superseded: {cause}")
    for batch, tasks in cancelled:
        Supersession.objects.create(
            batch=batch, successor=successor, tasks=tasks, cause=cause[:200]
        )
        superseded = {
            "batch": batch.pk,
            "tasks": tasks,
            "cause": cause,
            "successor": successor.pk if successor else None,
        }
        append_event(batch.topic.name, "batch.superseded", superseded)
