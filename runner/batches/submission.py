"""Submits batches, in the caller's transaction."""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from runner.batches.paged_load import LOAD, PagedPrograms
from runner.batches.quotas import check_quotas
from runner.batches.tasks import NewTasks, SubmitOptions, insert_tasks
from runner.errors import NotRegistered, RequestConflict
from runner.events.task_events import NewEvent, append_events
from runner.events.topics import open_topic, open_topics
from runner.models import Batch, Task
from runner.pipelines.fan_out import fan_out
from runner.pipelines.outbox import sequence_after_commit
from runner.programs.program import PreparedProgram
from runner.registry import handlers
from runner.states import BatchState
from runner.telemetry.batch_log import log_submitted


def submit_batch(  # noqa: PLR0913 - keyword-only
    *,
    topic: str,
    programs: Sequence[PreparedProgram] | PagedPrograms,
    owner: AbstractBaseUser | None = None,
    cause: str,
    recorder: str = "",
    request_key: str = "",
    parent: Batch | None = None,
    private: bool = False,
    priority: int = 0,
    announcement: Mapping[str, Any] | None = None,
    loaded: bool = True,
    priorities: Mapping[bytes, int] | None = None,
    after: Mapping[bytes, bytes | Task] | None = None,
    rerun: bool = False,
) -> Batch:
    """Submit these programs; must be called inside a transaction.

    Each distinct key becomes one task. A task with a known result succeeds at once, and the
    recorder is called for it here. A second call with the same owner and `request_key` returns the
    same batch. A batch that is not `loaded` accepts `add_tasks` until `mark_loaded`. Thousands of
    programs should be loaded by a worker, as `PagedPrograms`.

    Priorities: lower is sooner; `priorities` overrides `priority` for some keys. `after` makes
    chains: a key's task waits until its predecessor (a key of this batch, or any task) has
    succeeded, and is cancelled if that is given up or cancelled. `rerun` runs even programs that
    have a result, which stays until it is replaced.

    Raises RequestConflict if the request key was used for another request or the parent has ended,
    and QuotaExceeded if the owner has too much queued or has used up today's quota, but never for a
    batch with a parent.
    """
    _check_recorder(recorder)
    terms = SubmitOptions(priority, priorities or {}, after or {}, rerun)
    digest = _request_digest([topic, cause, recorder], programs, terms)
    new = Batch(
        topic_id=open_topic(topic).id,
        owner_id=owner.pk if owner else None,
        parent=parent,
        cause=cause,
        private=private,
        recorder=recorder,
        request_key=request_key,
        request_digest=digest,
        all_tasks_loaded=loaded and not isinstance(programs, PagedPrograms),
    )
    batch, is_new = _insert_once(new)
    if not is_new:
        if bytes(batch.request_digest) != digest:
            message = _("The Idempotency-Key %(key)r was used for another request.")
            raise RequestConflict(message % {"key": request_key})
        return batch
    if parent is None:
        check_quotas(batch.owner_id, _least_count(programs))
    if isinstance(programs, PagedPrograms):
        _load_pages(programs, batch, terms)
        programs = []
    _start([NewTasks(batch, programs, terms)], [announcement or {}])
    return batch


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildBatch:
    """A batch to submit, usually below a parent; fields are as in `submit_batch`."""

    topic: str
    programs: Sequence[PreparedProgram]
    cause: str
    recorder: str
    parent: Batch | None
    priority: int = 0
    priorities: Mapping[bytes, int] = field(default_factory=dict)
    announcement: Mapping[str, Any] = field(default_factory=dict)


def submit_child_batches(children: Sequence[ChildBatch]) -> list[Batch]:
    """Submit these for their parents' owners, in as many queries as for one.

    Must be called inside a transaction. No quota applies; raises RequestConflict as `submit_batch`.
    """
    if not children:
        return []
    for recorder in {child.recorder for child in children}:
        _check_recorder(recorder)
    topics = open_topics({child.topic for child in children})
    _lock_parents({child.parent.pk for child in children if child.parent})
    loads = []
    for child in children:
        terms = SubmitOptions(child.priority, child.priorities)
        description = [child.topic, child.cause, child.recorder]
        batch = Batch(
            topic_id=topics[child.topic].id,
            owner_id=child.parent.owner_id if child.parent else None,
            parent=child.parent,
            cause=child.cause,
            recorder=child.recorder,
            request_digest=_request_digest(description, child.programs, terms),
            all_tasks_loaded=True,
        )
        loads.append(NewTasks(batch, child.programs, terms))
    Batch.objects.bulk_create([load.batch for load in loads])
    _start(loads, [child.announcement for child in children])
    return [load.batch for load in loads]


def _check_recorder(recorder: str) -> None:
    if not transaction.get_connection().in_atomic_block:
        raise transaction.TransactionManagementError("a batch must be submitted in a transaction")
    if recorder and recorder not in handlers.recorders:
        raise NotRegistered(f"no recorder is registered as {recorder}")


def _start(loads: Sequence[NewTasks], announcements: Sequence[Mapping[str, Any]]) -> None:
    """Publish the submission of these new batches, and insert their tasks."""
    totals = [
        len({program.key for program in load.programs if not program.is_load_check})
        for load in loads
    ]
    events = []
    for load, total, more in zip(loads, totals, announcements, strict=True):
        payload = {"batch": load.batch.pk, "cause": load.batch.cause, "total": total, **more}
        events.append(NewEvent(load.batch.topic_id, "batch.submitted", payload))
    append_events(events)
    insert_tasks(loads)
    for load, total in zip(loads, totals, strict=True):
        log_submitted(load.batch, total)
        sequence_after_commit(load.batch.topic_id)


def _lock_parents(batch_ids: Collection[int]) -> None:
    """Keep these batches open until the commit; raises RequestConflict if one has ended."""
    if not batch_ids:
        return
    lock = "select id, state from runner_batch where id = any(%s) order by id for share"
    if any(batch.state != BatchState.OPEN for batch in Batch.objects.raw(lock, [list(batch_ids)])):
        raise RequestConflict(_("The parent batch has ended."))


def _least_count(programs: Sequence[PreparedProgram] | PagedPrograms) -> int:
    """Return how many programs there are; of pages, which wait for room in the queue, at least."""
    if isinstance(programs, PagedPrograms):
        return 1
    return len({program.key for program in programs})


def _load_pages(programs: PagedPrograms, batch: Batch, terms: SubmitOptions) -> None:
    if terms.after or terms.priorities:
        raise TypeError("paged programs can't have predecessors or priorities of their own")
    fan_out(
        f"batch:{batch.pk}",
        source=programs.source,
        step=LOAD,
        arguments=programs.arguments,
        terms={"priority": terms.priority, "afresh": terms.rerun},
        page=programs.page,
        batch=batch,
    )


def add_tasks(
    batch: Batch,
    programs: Sequence[PreparedProgram],
    *,
    priority: int = 0,
    priorities: Mapping[bytes, int] | None = None,
    after: Mapping[bytes, bytes | Task] | None = None,
) -> None:
    """Add tasks to a batch that is not loaded yet; programs it already has are ignored.

    Raises RequestConflict if the batch is loaded or has ended.
    """
    locked = Batch.objects.select_for_update(no_key=True).get(pk=batch.pk)
    if locked.state != BatchState.OPEN or locked.all_tasks_loaded:
        raise RequestConflict(f"{locked} accepts no more tasks")
    insert_tasks(
        [NewTasks(locked, programs, SubmitOptions(priority, priorities or {}, after or {}))]
    )
    sequence_after_commit(locked.topic_id)


def mark_loaded(batch: Batch) -> None:
    """Mark the batch as completely loaded, so that it can end."""
    Batch.objects.filter(pk=batch.pk, state=BatchState.OPEN).update(all_tasks_loaded=True)
    sequence_after_commit(batch.topic_id)


def _request_digest(
    description: list[Any],
    programs: Sequence[PreparedProgram] | PagedPrograms,
    terms: SubmitOptions,
) -> bytes:
    if isinstance(programs, PagedPrograms):
        requested: list[Any] = [programs.source, programs.arguments]
    else:
        requested = sorted({program.key.hex() for program in programs})
    steps = sorted(
        (key.hex(), before.hex() if isinstance(before, bytes) else before.pk)
        for key, before in terms.after.items()
    )
    content = [*description, requested, steps, terms.rerun]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).digest()


def _insert_once(new: Batch) -> tuple[Batch, bool]:
    """Insert the batch; return it and true, or the request's earlier batch and false."""
    _lock_parents([new.parent_id] if new.parent_id else [])
    if not new.request_key:
        new.save(force_insert=True)
        return new, True
    earlier = Batch.objects.filter(owner_id=new.owner_id, request_key=new.request_key)
    if batch := earlier.first():
        return batch, False
    try:
        with transaction.atomic():
            new.save(force_insert=True)
    except IntegrityError:
        return earlier.get(), False
    return new, True
