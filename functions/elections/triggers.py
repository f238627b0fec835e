"""What elections are held for, and the record of those that changed something."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from functions.elections.cascades import place_of
from functions.elections.causes import Trace
from functions.models import Election, Function
from runner.models import Batch, FollowUp
from runner.states import BatchState

_TOPIC = re.compile(r"function:(\d+)")
LONGEST_CAUSE = 200
NO_TRACE = Trace()
AND = "; "  # between causes that came together


@dataclass(frozen=True, slots=True)
class Occasion:
    """Why an election is held: the cause, how far down a cascade, and the batch it belongs to.

    `causes` are all since the last election, of which `cause` came last. `by` are the functions
    whose changes were told; `source` is the batch that told of it, which may have ended. `actor` is
    the user whose doing all of it is; `owner` is the one whose turn it is, and what follows too.
    `changes` are the functions whose changed elections have led to this one, by themselves or
    through others.
    """

    cause: str
    causes: tuple[str, ...]
    depth: int
    batch: Batch | None
    source: Batch | None
    by: frozenset[int]
    actor: int | None
    owner: int | None
    changes: frozenset[int] = frozenset()

    @property
    def all_causes(self) -> str:
        """The causes as one text; of too many the last ones."""
        causes = list(self.causes)
        while len(AND.join(causes)) > LONGEST_CAUSE and len(causes) > 1:
            del causes[0]
        return AND.join(causes)[:LONGEST_CAUSE]


def read_occasion(
    rows: Sequence[FollowUp], due_to: str = "", due_changes: Collection[int] = ()
) -> Occasion:
    """Gather what was told of one function, and what its election has been due to already."""
    told = [one for text in map(_cause_of, rows) for one in text.split(AND) if one]
    causes = tuple(dict.fromkeys([*filter(None, due_to.split(AND)), *told]))
    batches = [row.batch for row in rows if row.batch]
    actors = {
        row.arguments.get("actor") or (row.batch.owner_id if row.batch else None) for row in rows
    }
    return Occasion(
        cause=told[-1] if told else "",
        causes=causes,
        depth=min((row.arguments.get("depth", 0) for row in rows), default=0),
        batch=next((batch for batch in batches if batch.state == BatchState.OPEN), None),
        source=batches[-1] if batches else None,
        by=frozenset(pk for row in rows for pk in row.arguments.get("by", ())),
        actor=actors.pop() if len(actors) == 1 else None,
        owner=min(rows, key=lambda row: row.vtime).owner_id if rows else None,
        changes=frozenset(pk for row in rows for pk in row.arguments.get("changes", ())).union(
            due_changes
        ),
    )


def record_election(
    function: Function,
    elected_id: int | None,
    occasion: Occasion,
    circle: Sequence[str] = (),
    trace: Trace = NO_TRACE,
) -> None:
    """Keep that the function's current implementation changes to this, and what brought it about.

    In a cascade that is what happened where it began.
    """
    root, level = place_of(occasion.source) if occasion.source else (None, 0)
    origin = _function_of(root) if root and level else None
    is_from_afar = origin is not None and origin != function
    first = root if level else _first(root)
    # Of what came together with other causes, it is not known which of them the run is about.
    is_its_cause = is_from_afar or (first is not None and first.cause in occasion.causes)
    Election.objects.create(
        function=function,
        elected_id=elected_id,
        previous_id=function.elected_id,
        circle=list(circle),
        cause=occasion.all_causes,
        origin=origin if is_from_afar else None,
        origin_cause=root.cause if root and is_from_afar else "",
        batch=first if is_its_cause else occasion.source,
        by=first.owner if first and is_its_cause else None,
        **trace._asdict() | {"caused_by": list(trace.caused_by)},
    )


def _cause_of(row: FollowUp) -> str:
    cause: str = row.arguments.get("cause") or (row.batch.cause if row.batch else "")
    return cause


def _first(batch: Batch | None) -> Batch | None:
    """Return the batch that had this one submitted, or the one that had that submitted."""
    while batch is not None and batch.parent is not None:
        batch = batch.parent
    return batch


def _function_of(batch: Batch) -> Function | None:
    found = _TOPIC.fullmatch(batch.topic.name)
    return Function.objects.filter(pk=found[1]).first() if found else None
