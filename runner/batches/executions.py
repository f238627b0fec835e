"""The executions behind tasks: one row per program, inserted and locked in key order."""

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

# Ordered by key, as everywhere, so that concurrent inserts can't deadlock. Rows are passed as one
# JSON document, because psycopg escapes arrays of texts character by character. Their programs are
# JSON already and are passed as a second document, in the same order.
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
    where id = any(%(ids)s) and (state <> 3 or {IS_STALE} or id = any(%(always)s))
    order by key for no key update
"""  # noqa: S608
_TOUCH = "update runner_execution set used_at = now() where id = any(%s)"
_PIN = "select id from runner_execution where id = any(%s) order by key for key share"
# Only those columns of a result that events need.
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
        %(due)s::timestamptz[], %(owners)s::bigint[], %(vtimes)s::bigint[],
        %(priorities)s::smallint[])
        as n (id, state, attempts, due_at, owner_id, vtime, priority)
    where e.id = any(%(ids)s) and e.id = n.id
"""

REQUEUEABLE = frozenset({State.WAITING, State.CANCELLED, State.IGNORED})


@dataclass(slots=True)
class ExecutionRow:
    """An execution's row; `end` is set if it has a result."""

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
    """The owner, virtual time and priority with which each program is requested, by key."""

    owners: Mapping[bytes, int | None]
    vtimes: Mapping[bytes, int]
    priorities: Mapping[bytes, int]
    rerun: Collection[bytes] = field(default_factory=frozenset)  # run even if there is a result
    waiting: Collection[bytes] = field(default_factory=frozenset)  # wait for a predecessor

    def first_state(self, key: bytes) -> State:
        """Return the initial state of a new execution."""
        return State.WAITING if key in self.waiting else State.PENDING


def next_vtime(owner_id: int | None, priority: int) -> int:
    """Return the virtual time of the owner's next program.

    An owner's programs get consecutive times from the current one on, so that a thousand programs
    of one owner and a few of another alternate.
    """
    open_batches = Batch.objects.filter(owner_id=owner_id, state=BatchState.OPEN)
    owners_last = open_batches.aggregate(last=Max("last_turn"))["last"] or 0
    return max(current_vtime(priority), owners_last) + 1


def current_vtime(priority: int) -> int:
    """Return the earliest virtual time among the ready executions of this priority."""
    ready = Execution.objects.filter(
        state__in=(State.PENDING, State.FAILED), priority=priority
    ).order_by("priority", "vtime", "id")
    return ready.values_list("vtime", flat=True).first() or 0


def upsert_executions(
    programs: Mapping[bytes, PreparedProgram], request: ExecutionRequest, chained: Collection[bytes]
) -> list[ExecutionRow]:
    """Return the programs' executions, inserted where new, locked or pinned until the commit.

    An execution with a result is only pinned (it can't be removed, but may get a newer result),
    unless it is in `chained` or is to be rerun. `chained` may contain keys of other programs, whose
    executions are locked too. Locks are taken in key order.
    """
    keys = sorted({*programs, *chained})
    ours: list[ExecutionRow] = []  # inserted here, so invisible to other sessions
    while keys:
        stored = _find(keys)
        if new := {key: programs[key] for key in keys if key in programs and key not in stored}:
            ours += _store(new, request)
            inserted = {execution.key for execution in ours}
            keys = [key for key in keys if key not in inserted]
            if not keys or not inserted.issuperset(new):
                continue  # done, or another session has inserted some of them
        ids = [stored[key] for key in keys if key in stored]
        locked = _lock(ids, [stored[key] for key in {*request.rerun, *chained} if key in stored])
        with connection.cursor() as cursor:
            cursor.execute(_PIN, [ids])
        executions = read_executions(ids)
        # A row may have been removed before it was pinned, or requeued after `_lock` skipped it.
        if len(executions) == len(keys) and all(
            row.state == State.SUCCEEDED or row.pk in locked for row in executions
        ):
            return ours + [row for row in executions if row.key in programs]
    return ours


def read_executions(ids: Sequence[int]) -> list[ExecutionRow]:
    """Return these executions, which the caller has locked or pinned."""
    with connection.cursor() as cursor:
        cursor.execute(_READ, [list(ids)])
        return [_execution_row(row[:8], row[8:]) for row in cursor]


def _execution_row(columns: Sequence[Any], result: Sequence[Any]) -> ExecutionRow:
    execution = ExecutionRow(*columns)
    execution.key = bytes(execution.key)
    if result[0] is not None:
        execution.end = ExecutionEnd(execution.key, State.SUCCEEDED, *result)
    return execution


def requeue(execution: ExecutionRow, request: ExecutionRequest) -> bool:
    """Make the execution pending if it needs to run, or raise its priority if it is open already.

    Returns whether the row object has changed; `save_requeued` stores it.
    """
    key = execution.key
    is_rerun = key in request.rerun and execution.state == State.SUCCEEDED
    if is_rerun or execution.state in REQUEUEABLE:
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
    """Store the changes made by `requeue`."""
    if not executions:
        return
    columns: dict[str, list[Any]] = {
        "ids": [execution.pk for execution in executions],
        "states": [execution.state for execution in executions],
        "attempts": [execution.attempts for execution in executions],
        "due": [execution.due_at for execution in executions],
        "owners": [execution.owner_id for execution in executions],
        "vtimes": [execution.vtime for execution in executions],
        "priorities": [execution.priority for execution in executions],
    }
    with connection.cursor() as cursor:
        cursor.execute(_SAVE, columns)


def _find(keys: Sequence[bytes]) -> dict[bytes, int]:
    """Return the ids of stored executions by key."""
    with connection.cursor() as cursor:
        cursor.execute(_FIND, [join_hashes(keys)])
        return {bytes(key): execution_id for key, execution_id in cursor}


def _store(
    programs: Mapping[bytes, PreparedProgram], request: ExecutionRequest
) -> list[ExecutionRow]:
    """Insert the new executions and their sources; return them."""
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
    texts = f"[{','.join(program.text for program in programs.values())}]"
    with connection.cursor() as cursor:
        cursor.execute(_INSERT_EXECUTIONS, [rows, texts])
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


def _lock(ids: Sequence[int], always: Sequence[int]) -> set[int]:
    """Lock executions in key order; return the locked ids.

    Locked are those without a result, those whose time of last use is stale, and those in `always`.
    """
    terms: dict[str, Any] = {"ids": list(ids), "always": list(always)}
    with connection.cursor() as cursor:
        cursor.execute(_LOCK, terms)
        locked: dict[int, bool] = dict(cursor)
        if stale := [execution_id for execution_id, is_stale in locked.items() if is_stale]:
            cursor.execute(_TOUCH, [stale])
    return set(locked)
