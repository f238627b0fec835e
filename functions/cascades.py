"""Cascades: whom a change reaches next, the batches of its levels, and what it makes pointless."""

from collections.abc import Collection

from functions.locks import hold_batch
from functions.models import Function, Level, Supersession
from runner.models import Batch
from runner.outbox import append_event
from runner.states import BatchState
from runner.submission import submit_batch
from runner.superseding import cancel_programs


def open_level(function: Function, batch: Batch | None, cause: str) -> Batch:
    """Return the batch for those that a change of this function reaches.

    It is a child of the cascade's root; a change that comes without a batch, by votes say, begins
    a cascade of its own. A level whose batch has ended meanwhile, since those before it were
    quicker, gets another. The caller holds the lock of elections: one level is opened at a time.
    """
    root, number = place_of(batch) if batch else (_begin(function, cause), 0)
    levels = Level.objects.filter(root=root, number=number + 1, batch__state=BatchState.OPEN)
    for level in levels.select_related("batch"):
        if hold_batch(level.batch_id):
            return level.batch
    opened = submit_batch(
        topic=root.topic.name,
        programs=[],
        owner=root.owner,
        cause=f"level {number + 1} of what {function.name} changes"[:100],
        parent=root,
    )
    Level.objects.create(batch=opened, root=root, number=number + 1)
    return opened


def _begin(function: Function, cause: str) -> Batch:
    return submit_batch(topic=function.topic, programs=[], cause=cause[:100])


def place_of(batch: Batch) -> tuple[Batch, int]:
    """Return the root of the cascade that the batch belongs to, and the number of its level."""
    ids = [batch.pk, *([batch.parent_id] if batch.parent_id else [])]
    level = Level.objects.filter(batch__in=ids).select_related("root__topic", "root__owner").first()
    return (level.root, level.number) if level else (batch, 0)


def supersede(
    keys: Collection[bytes], *, recorder: str, cause: str, successor: Batch | None
) -> None:
    """Cancel what was to run these programs, which nobody means any more, and say why.

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
