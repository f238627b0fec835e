"""The list of runs: filtered, with stable pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from functions.people.former_names import user_once_named
from functions.read_models.cursors import decode_place, encode_cursor
from functions.read_models.function import function_named
from functions.read_models.run_subjects import Subject, subjects_of
from functions.read_models.runs import Progress, progress_of
from functions.read_models.snapshot import snapshot
from runner.batches.queries import batches_since, needing_attention, visible_to
from runner.events.topics import Head, heads
from runner.models import Batch, Task, Topic
from runner.registry import Actor
from runner.states import BatchState

ATTENTION = "attention"  # given up tasks that were not retried


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """A run in a list; `position` is its topic's position before the run was read.

    `children` is the number of runs that it caused directly.
    """

    progress: Progress
    owner: str
    subject: Subject
    private: bool
    topic: str
    position: Head
    children: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RunList:
    """A page of runs; `next` is the next page's cursor, or empty."""

    rows: tuple[RunRow, ...]
    next: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFilter:
    """Filters of runs; empty ones don't apply."""

    state: str = ""  # a batch's, or ATTENTION
    owner: str = ""
    function: str = ""
    since: datetime | None = None
    parent: int | None = None
    # leave out runs that others caused, unless their function or parent is chosen, and empty ones
    folded: bool = False


def run_list(actor: Actor, filters: RunFilter, *, cursor: str = "", limit: int = 50) -> RunList:
    """Return the runs visible to this reader, newest first. Raises BadCursor."""
    with snapshot():
        found = list(_after(_found(actor, filters), cursor)[: limit + 1])
        rows = run_rows(found[:limit])
    more = encode_cursor(found[limit - 1].pk) if len(found) > limit else ""
    return RunList(rows=tuple(rows), next=more)


def run_row(batch_id: int, actor: Actor) -> RunRow | None:
    """Return a run; None if the reader may not see it."""
    with snapshot():
        batch = batch_for(batch_id, actor)
        return run_rows([batch])[0] if batch else None


def batch_for(batch_id: int, actor: Actor) -> Batch | None:
    """Return a batch; None if the reader may not see it."""
    seen = Batch.objects.filter(visible_to(actor)).select_related("topic", "owner")
    return seen.filter(pk=batch_id).first()


def run_rows(batches: Sequence[Batch]) -> list[RunRow]:
    """Return the rows of these batches, which are loaded with topic and owner."""
    topics = {batch.topic.name for batch in batches}
    positions = heads(topics)
    caused = Batch.objects.filter(parent__in=batches).values_list("parent")
    children = dict(caused.order_by().annotate(Count("pk")))
    subjects = subjects_of(topics)
    return [
        RunRow(
            progress=progress,
            owner=batch.owner.get_username() if batch.owner else "",
            subject=subjects[batch.topic.name],
            private=batch.private,
            topic=batch.topic.name,
            position=positions[batch.topic.name],
            children=children.get(batch.pk, 0),
        )
        for batch, progress in zip(batches, progress_of(batches), strict=True)
    ]


def _found(actor: Actor, filters: RunFilter) -> QuerySet[Batch]:
    found = Batch.objects.filter(visible_to(actor)).select_related("topic", "owner")
    if filters.state == ATTENTION:
        found = found.filter(needing_attention())
    elif filters.state:
        found = found.filter(state=BatchState[filters.state.upper()])
    # Filter by ids, as the indexes start with them.
    if filters.owner:
        named = User.objects.filter(username__iexact=filters.owner).first()
        owner = named or user_once_named(filters.owner)
        found = found.filter(owner=owner) if owner else found.none()
    if filters.function:
        function = function_named(filters.function)
        topic = Topic.objects.filter(name=function.topic).first() if function else None
        found = found.filter(topic=topic) if topic else found.none()
    if filters.since:
        found = found.filter(batches_since(filters.since))
    if filters.parent is not None:
        found = found.filter(parent=filters.parent)
    if filters.folded:
        has_tasks = Exists(Task.objects.filter(batch=OuterRef("pk")))
        has_children = Exists(Batch.objects.filter(parent=OuterRef("pk")))
        found = found.filter(Q(state=BatchState.OPEN) | has_tasks | has_children)
        if not filters.function and filters.parent is None and filters.state != ATTENTION:
            found = found.filter(parent=None)
    return found.order_by("-pk")


def _after(found: QuerySet[Batch], cursor: str) -> QuerySet[Batch]:
    if not cursor:
        return found
    (last,) = decode_place(cursor, 1)
    return found.filter(pk__lt=last)
