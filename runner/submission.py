"""Submitting: what is wanted, written in the caller's transaction, or none of it."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import IntegrityError, transaction

from runner.batch_log import log_submitted
from runner.errors import RequestConflict, UnknownRecorder
from runner.fan_out import fan_out
from runner.finishing import NewEvent, append_events
from runner.loading import LOAD, FromSource
from runner.models import Batch, Task
from runner.outbox import join_after_commit
from runner.programs import PreparedProgram
from runner.quotas import refuse_too_much
from runner.registry import recorders
from runner.states import BatchState
from runner.tasks import Terms, insert_tasks
from runner.topics import open_topic


def submit_batch(  # noqa: PLR0913 - keyword-only, and each says something else
    *,
    topic: str,
    programs: Sequence[PreparedProgram] | FromSource,
    owner: AbstractBaseUser | None = None,
    cause: str,
    recorder: str = "",
    request_key: str = "",
    parent: Batch | None = None,
    private: bool = False,
    priority: int = 0,
    announcement: Mapping[str, Any] | None = None,
    loaded: bool = True,
    lower: Mapping[bytes, int] | None = None,
    after: Mapping[bytes, bytes | Task] | None = None,
    afresh: bool = False,
) -> Batch:
    """Ask for these programs to be executed; must be called inside a transaction.

    There is one task for each distinct key; one whose result is known has succeeded at once, and
    the recorder is told here. The same `request_key` of the same owner gives the same batch, or
    raises RequestConflict when something else was asked for under it; so does a parent that has
    ended. `lower` gives the priorities of keys that differ from `priority` (lower is sooner).
    A batch that is not `loaded` is open for `add_tasks`, until `mark_loaded`.

    `after` makes steps: the task of a key waits until the one it names has succeeded (by its key
    in this batch, or any task), and is cancelled if that is given up or cancelled. `afresh` has
    everything executed, even what has a result, which stands until it is replaced.

    Programs by the thousand are better loaded page by page, `FromSource`, by a worker. What an
    owner asks for is refused (TooMuchQueued) where too much of the owner's is waiting already;
    what a parent has set off never is.
    """
    if not transaction.get_connection().in_atomic_block:
        raise transaction.TransactionManagementError("a batch is submitted in a transaction")
    if recorder and recorder not in recorders:
        raise UnknownRecorder(f"no recorder is registered as {recorder}")
    terms = Terms(priority, lower or {}, after or {}, afresh)
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
        all_tasks_loaded=loaded and not isinstance(programs, FromSource),
    )
    batch, is_new = _insert_once(new)
    if not is_new:
        if bytes(batch.request_digest) != digest:
            raise RequestConflict(f"{request_key!r} was the key of another request")
        return batch
    if isinstance(programs, FromSource):
        _load_from(programs, batch, terms)
        programs = []
    total = len({program.key for program in programs})
    if parent is None:
        refuse_too_much(batch.owner_id, total)
    announced = {"batch": batch.pk, "cause": cause, "total": total, **(announcement or {})}
    append_events([NewEvent(batch.topic_id, "batch.submitted", announced)])
    insert_tasks(batch, programs, terms)
    log_submitted(batch, total)
    join_after_commit(batch.topic_id)
    return batch


def _load_from(walk: FromSource, batch: Batch, terms: Terms) -> None:
    if terms.after or terms.lower:
        raise TypeError("what is loaded page by page has neither an order nor exceptions")
    fan_out(
        f"batch:{batch.pk}",
        source=walk.source,
        step=LOAD,
        arguments=walk.arguments,
        terms={"priority": terms.priority, "afresh": terms.afresh},
        page=walk.page,
        batch=batch,
    )


def add_tasks(
    batch: Batch,
    programs: Sequence[PreparedProgram],
    *,
    priority: int = 0,
    lower: Mapping[bytes, int] | None = None,
    after: Mapping[bytes, bytes | Task] | None = None,
) -> None:
    """Load more into a batch that is not loaded yet; what it has already stays once in it."""
    locked = Batch.objects.select_for_update(no_key=True).get(pk=batch.pk)
    if locked.state != BatchState.OPEN or locked.all_tasks_loaded:
        raise RequestConflict(f"{locked} takes no more tasks")
    insert_tasks(locked, programs, Terms(priority, lower or {}, after or {}))
    join_after_commit(locked.topic_id)


def mark_loaded(batch: Batch) -> None:
    """Say that the batch has all of its tasks: it ends when these have."""
    Batch.objects.filter(pk=batch.pk, state=BatchState.OPEN).update(all_tasks_loaded=True)
    join_after_commit(batch.topic_id)


def _request_digest(
    words: list[Any], programs: Sequence[PreparedProgram] | FromSource, terms: Terms
) -> bytes:
    if isinstance(programs, FromSource):
        wanted: list[Any] = [programs.source, programs.arguments]
    else:
        wanted = sorted({program.key.hex() for program in programs})
    steps = sorted(
        (key.hex(), before.hex() if isinstance(before, bytes) else before.pk)
        for key, before in terms.after.items()
    )
    asked = [*words, wanted, steps, terms.afresh]
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).digest()


def _insert_once(new: Batch) -> tuple[Batch, bool]:
    """Insert the batch, or return the one that the owner's request has made before."""
    if new.parent_id is not None:
        # Held until the commit, so that the parent cannot end in between.
        state = Batch.objects.raw(
            "select id, state from runner_batch where id = %s for share", [new.parent_id]
        )[0].state
        if state != BatchState.OPEN:
            raise RequestConflict("the batch that this belongs to has ended")
    if not new.request_key:
        new.save(force_insert=True)
        return new, True
    former = Batch.objects.filter(owner_id=new.owner_id, request_key=new.request_key)
    if batch := former.first():
        return batch, False
    try:
        with transaction.atomic():
            new.save(force_insert=True)
    except IntegrityError:
        return former.get(), False
    return new, True
