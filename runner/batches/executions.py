"""The executions behind tasks: stored once, locked in order, pending when somebody wants them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import Max
from psycopg.types.json import Jsonb

from runner.events.task_events import ExecutionEnd
from runner.models import Batch, Execution
from runner.programs.program import PreparedProgram
from runner.programs.sources import HASHES, IS_STALE, join_hashes, store_sources
from runner.states import OPEN_STATES, BatchState, State

# In the order of keys and hashes, as everybody: whoever inserts the same ones waits, and never in
# a circle. What is there already is not touched. Rows come as one document: arrays of texts are
# quoted mark by mark. Their programs, which are texts already, come as another, in the same order.
_INSERT_EXECUTIONS = """
    insert into runner_execution (key, program, tag, owner_id, state, priority, vtime)
    select decode(key, 'hex'), program, tag, owner_id, state, priority, vtime
    from rows from (
        jsonb_to_recordset(%s) as (
            key text, tag text, owner_id bigint, state smallint, priority smallint, vtime bigint),
        jsonb_array_elements(%s::jsonb)
    ) as n (key, tag, owner_id, state, priority, vtime, program)
    order by 1 on conflict (key) do nothing returning id, key
"""
_FIND = f"select key, id from runner_execution where key = any({HASHES})"  # noqa: S608
_LOCK = f"""
    select id, {IS_STALE} from runner_execution
    where id = any(%(ids)s) and (state <> 3 or {IS_STALE} or id = any(%(all_of)s))
    order by key for no key update
"""  # noqa: S608
_TOUCH = "update runner_execution set used_at = now() where id = any(%s)"
_PIN = "select id from runner_execution where id = any(%s) order by key for key share"
# Of a result, what is told of it.
_READ = """
    select e.id, e.key, e.owner_id, e.state, e.priority, e.vtime, e.attempts, e.due_at,
        r.attempt, r.verdict, r.message, r.line, r.cpu_us, r.wall_us
    from runner_execution e left join runner_result r on r.execution_id = e.id
    where e.id = any(%s)
"""
_SAVE = """
    update runner_execution e
    set (state, attempts, due_at, owner_id, vtime, priority) =
        (n.state, n.attempts, n.due_at, n.owner_id, n.vtime, n.priority)
    from unnest(%(ids)s::bigint[], %(states)s::smallint[], %(attempts)s::smallint[],
        %(due)s::timestamptz[], %(owners)s::bigint[], %(turns)s::bigint[],
        %(priorities)s::smallint[])
        as n (id, state, attempts, due_at, owner_id, vtime, priority)
    where e.id = any(%(ids)s) and e.id = n.id
"""

REQUEUEABLE = frozenset({State.WAITING, State.CANCELLED, State.IGNORED})


@dataclass(slots=True)
class ExecutionRow:
    """An execution that somebody wants, as it stands; of one that has a result, what is told."""

    pk: int
    key: bytes
    owner_id: int | None
    state: int
    priority: int
    vtime: int
    attempts: int = 0
    due_at: datetime | None = None
    end: ExecutionEnd | None = None


@dataclass(frozen=True, slots=True)
class ExecutionRequest:
    """On whose behalf each program is wanted, how urgently, and in which turn."""

    owners: Mapping[bytes, int | None]
    vtimes: Mapping[bytes, int]
    priorities: Mapping[bytes, int]
    rerun: Collection[bytes] = field(default_factory=frozenset)  # run even if it has a result
    waiting: Collection[bytes] = field(default_factory=frozenset)  # not wanted yet

    def first_state(self, key: bytes) -> State:
        """Where a program begins that nobody has wanted before."""
        return State.WAITING if key in self.waiting else State.PENDING


def next_vtime(owner_id: int | None, priority: int) -> int:
    """Return the turn of the owner's next program.

    Turns are virtual time: an owner's programs follow one another, beginning with the present, so
    that a thousand of one owner and the few of another alternate.
    """
    open_batches = Batch.objects.filter(owner_id=owner_id, state=BatchState.OPEN)
    owners_last = open_batches.aggregate(last=Max("last_turn"))["last"] or 0
    return max(current_vtime(priority), owners_last) + 1


def current_vtime(priority: int) -> int:
    """Return the earliest turn that is still waiting."""
    ready = Execution.objects.filter(
        state__in=(State.PENDING, State.FAILED), priority=priority
    ).order_by("priority", "vtime", "id")
    return ready.values_list("vtime", flat=True).first() or 0


def upsert_executions(
    programs: Mapping[bytes, PreparedProgram], request: ExecutionRequest, chained: Collection[bytes]
) -> list[ExecutionRow]:
    """Return the programs' executions, inserted where they are new, as nobody else changes them.

    Those that have a result are not locked, except `chained` ones and where they are to run
    again: they may get another result, but always have one, and are not removed meanwhile. Keys
    in `chained` may be of others' executions, which are locked with the rest, in key order.
    """
    keys = sorted({*programs, *chained})
    ours: list[ExecutionRow] = []  # which nobody else sees yet
    while keys:
        found = _find(keys)
        if new := {key: programs[key] for key in keys if key in programs and key not in found}:
            ours += _store(new, request)
            inserted = {execution.key for execution in ours}
            keys = [key for key in keys if key not in inserted]
            if not keys or not inserted.issuperset(new):
                continue  # nothing is left, or somebody else was faster
        ids = [found[key] for key in keys if key in found]
        locked = _lock(ids, [found[key] for key in {*request.rerun, *chained} if key in found])
        with connection.cursor() as cursor:
            cursor.execute(_PIN, [ids])
        executions = read_executions(ids)
        # One may have been removed before it was held, or be run again since it was passed over.
        if len(executions) == len(keys) and all(
            row.state == State.SUCCEEDED or row.pk in locked for row in executions
        ):
            return ours + [row for row in executions if row.key in programs]
    return ours


def read_executions(ids: Sequence[int]) -> list[ExecutionRow]:
    """Return these executions, which the caller holds."""
    with connection.cursor() as cursor:
        cursor.execute(_READ, [list(ids)])
        return [_execution_row(row[:8], row[8:]) for row in cursor]


def _execution_row(columns: Sequence[Any], published: Sequence[Any]) -> ExecutionRow:
    execution = ExecutionRow(*columns)
    execution.key = bytes(execution.key)
    if published[0] is not None:
        execution.end = ExecutionEnd(execution.key, State.SUCCEEDED, *published)
    return execution


def requeue(execution: ExecutionRow, request: ExecutionRequest) -> bool:
    """Make it pending if it was not wanted, or sooner if it waits; say whether it changed."""
    key = execution.key
    is_again = key in request.rerun and execution.state == State.SUCCEEDED
    if is_again or execution.state in REQUEUEABLE:
        execution.state = State.PENDING
        execution.attempts, execution.due_at = 0, None
        execution.owner_id = request.owners[key]
        execution.vtime, execution.priority = request.vtimes[key], request.priorities[key]
        return True
    if execution.state in OPEN_STATES and execution.priority > request.priorities[key]:
        execution.priority = request.priorities[key]
        return True
    return False


def save_requeued(executions: Sequence[ExecutionRow]) -> None:
    """Write what `revive` has changed."""
    if not executions:
        return
    columns: dict[str, list[Any]] = {
        "ids": [execution.pk for execution in executions],
        "states": [execution.state for execution in executions],
        "attempts": [execution.attempts for execution in executions],
        "due": [execution.due_at for execution in executions],
        "owners": [execution.owner_id for execution in executions],
        "turns": [execution.vtime for execution in executions],
        "priorities": [execution.priority for execution in executions],
    }
    with connection.cursor() as cursor:
        cursor.execute(_SAVE, columns)


def _find(keys: Sequence[bytes]) -> dict[bytes, int]:
    with connection.cursor() as cursor:
        cursor.execute(_FIND, [join_hashes(keys)])
        return {bytes(key): execution_id for key, execution_id in cursor}


def _store(
    programs: Mapping[bytes, PreparedProgram], request: ExecutionRequest
) -> list[ExecutionRow]:
    """Insert the executions that are new, and of these the sources; return those."""
    rows: Any = Jsonb(
        [
            {
                "key": key.hex(),
                "tag": program.tag,
                "owner_id": request.owners[key],
                "state": request.first_state(key),
                "priority": request.priorities[key],
                "vtime": request.vtimes[key],
            }
            for key, program in programs.items()
        ]
    )
    forms = f"[{','.join(program.text for program in programs.values())}]"
    with connection.cursor() as cursor:
        cursor.execute(_INSERT_EXECUTIONS, [rows, forms])
        added = {bytes(key): execution_id for execution_id, key in cursor}
        store_sources(
            cursor,
            {sha256: text for key in added for sha256, text in programs[key].sources.items()},
        )
    return [
        ExecutionRow(
            pk,
            key,
            request.owners[key],
            request.first_state(key),
            request.priorities[key],
            request.vtimes[key],
        )
        for key, pk in added.items()
    ]


def _lock(ids: Sequence[int], all_of: Sequence[int]) -> set[int]:
    """Lock those that may still change and those whose last use is to be noted, in key order."""
    terms: dict[str, Any] = {"ids": list(ids), "all_of": list(all_of)}
    with connection.cursor() as cursor:
        cursor.execute(_LOCK, terms)
        locked: dict[int, bool] = dict(cursor)
        if stale := [execution_id for execution_id, is_stale in locked.items() if is_stale]:
            cursor.execute(_TOUCH, [stale])
    return set(locked)
