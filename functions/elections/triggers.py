"""The triggers of elections, and the record of those that changed something."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from functions.elections.cascades import level_of
from functions.elections.causes import Trace
from functions.models import Election, Function
from runner.models import Batch, FollowUp
from runner.states import BatchState

_TOPIC = re.compile(r"function:(\d+)")
MAX_CAUSE_LENGTH = 200
NO_TRACE = Trace()


@dataclass(frozen=True, slots=True)
class Trigger:
    """Why an election is held: the cause, the depth in a cascade, and the open batch.

    `causes` are all since the last election; `cause` is the latest. `changed_by` are the functions
    that enqueued it by their change; `source` is the last batch that did, which may have ended.
    `actor` is the user who caused all of it, if there is exactly one; follow-ups are queued as
    `owner`'s. `changes` are the functions whose elections directly or indirectly led to this one.
    """

    cause: str
    causes: tuple[str, ...]
    depth: int
    batch: Batch | None
    source: Batch | None
    changed_by: frozenset[int]
    actor: int | None
    owner: int | None
    changes: frozenset[int] = frozenset()

    @property
    def all_causes(self) -> str:
        """The causes as one text, without the earliest where they are too long."""
        causes = list(self.causes)
        while len(Election.CAUSE_SEPARATOR.join(causes)) > MAX_CAUSE_LENGTH and len(causes) > 1:
            del causes[0]
        return Election.CAUSE_SEPARATOR.join(causes)[:MAX_CAUSE_LENGTH]


def read_trigger(
    rows: Sequence[FollowUp], due_to: str = "", due_changes: Collection[int] = ()
) -> Trigger:
    """Return the trigger made of a function's follow-ups and of its pending causes."""
    new = [
        one for text in map(_cause_of, rows) for one in text.split(Election.CAUSE_SEPARATOR) if one
    ]
    causes = tuple(dict.fromkeys([*filter(None, due_to.split(Election.CAUSE_SEPARATOR)), *new]))
    batches = [row.batch for row in rows if row.batch]
    actors = {
        row.arguments.get("actor") or (row.batch.owner_id if row.batch else None) for row in rows
    }
    return Trigger(
        cause=new[-1] if new else "",
        causes=causes,
        depth=min((row.arguments.get("depth", 0) for row in rows), default=0),
        batch=next((batch for batch in batches if batch.state == BatchState.OPEN), None),
        source=batches[-1] if batches else None,
        changed_by=frozenset(pk for row in rows for pk in row.arguments.get("by", ())),
        actor=actors.pop() if len(actors) == 1 else None,
        owner=min(rows, key=lambda row: row.vtime).owner_id if rows else None,
        changes=frozenset(pk for row in rows for pk in row.arguments.get("changes", ())).union(
            due_changes
        ),
    )


def record_election(
    function: Function,
    elected_id: int | None,
    trigger: Trigger,
    circle: Sequence[str] = (),
    trace: Trace = NO_TRACE,
) -> Election:
    """Record that the function's current implementation changes, and why.

    In a cascade, the recorded cause is where the cascade began.
    """
    root, level = level_of(trigger.source) if trigger.source else (None, 0)
    origin = _function_of(root) if root and level else None
    is_from_elsewhere = origin is not None and origin != function
    first = root if level else _root_batch(root)
    # If there are several causes, it is unknown which of them the run belongs to.
    is_its_cause = is_from_elsewhere or (first is not None and first.cause in trigger.causes)
    return Election.objects.create(
        function=function,
        elected_id=elected_id,
        previous_id=function.elected_id,
        circle=list(circle),
        cause=trigger.all_causes,
        origin=origin if is_from_elsewhere else None,
        origin_cause=root.cause if root and is_from_elsewhere else "",
        batch=first if is_its_cause else trigger.source,
        by=first.owner if first and is_its_cause else None,
        **trace._asdict() | {"caused_by": list(trace.caused_by)},
    )


def _cause_of(row: FollowUp) -> str:
    cause: str = row.arguments.get("cause") or (row.batch.cause if row.batch else "")
    return cause


def _root_batch(batch: Batch | None) -> Batch | None:
    """Return the topmost ancestor of a batch."""
    while batch is not None and batch.parent is not None:
        batch = batch.parent
    return batch


def _function_of(batch: Batch) -> Function | None:
    found = _TOPIC.fullmatch(batch.topic.name)
    return Function.objects.filter(pk=found[1]).first() if found else None
