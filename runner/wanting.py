"""The executions behind tasks: stored once, locked in order, pending when somebody wants them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.db import connection
from django.db.models import Max, Q, QuerySet
from django.db.models.functions import Now
from psycopg.types.json import Jsonb

from runner.models import Batch, Execution
from runner.programs import PreparedProgram
from runner.states import OPEN_STATES, BatchState, State

# In the order of keys and hashes, as everybody: whoever inserts the same ones waits, and never in
# a circle. What is there already is not touched. Rows come as one document: arrays of texts are
# quoted mark by mark.
_INSERT_EXECUTIONS = """
    insert into runner_execution (key, program, tag, owner_id, state, priority, vtime)
    select decode(key, 'hex'), program, tag, owner_id, state, priority, vtime
    from jsonb_to_recordset(%s) as n (key text, program jsonb, tag text, owner_id bigint,
        state smallint, priority smallint, vtime bigint)
    order by 1 on conflict (key) do nothing returning id, key
"""
# A source is removed only while nobody holds it, and when no program has used it for long.
_INSERT_SOURCES = """
    insert into runner_source (sha256, text)
    select decode(n.sha256, 'hex'), n.text
    from jsonb_to_recordset(%s) as n (sha256 text, text text)
    order by 1 on conflict do nothing returning sha256
"""
_TOUCH_SOURCES = """
    with stale as materialized (
        select sha256 from runner_source
        where sha256 = any(%s) order by sha256 for no key update
    )
    update runner_source s set used_at = now() from stale where stale.sha256 = s.sha256
"""
_HOLD_SOURCES = """
    select sha256, used_at < now() - make_interval(days => 1) from runner_source
    where sha256 = any(%s) order by sha256 for key share
"""
_HOLD_EXECUTIONS = """
    select id from runner_execution where key = any(%s) order by key for key share
"""

# Nobody needs to know the hour of a last use, and so few rows are written for it.
USED_LATELY = timedelta(days=1)

# Of an execution that has just been inserted, what is asked for next, as its columns follow.
_OF_NEW = ("id", "key", "owner_id", "state", "priority", "attempts")
# Of a result, what no event tells.
_UNTOLD = ("result__trace", "result__cases", "result__log", "result__value")

REVIVABLE = frozenset({State.WAITING, State.CANCELLED, State.IGNORED})


@dataclass(frozen=True, slots=True)
class Wish:
    """On whose behalf each program is wanted, how urgently, and in which turn."""

    owners: Mapping[bytes, int | None]
    turns: Mapping[bytes, int]
    priorities: Mapping[bytes, int]
    afresh: Collection[bytes] = field(default_factory=frozenset)  # run even if it has a result
    waiting: Collection[bytes] = field(default_factory=frozenset)  # not wanted yet

    def first_state(self, key: bytes) -> State:
        """Where a program begins that nobody has wanted before."""
        return State.WAITING if key in self.waiting else State.PENDING


def next_turn(owner_id: int | None, priority: int) -> int:
    """Return the turn of the owner's next program.

    Turns are virtual time: an owner's programs follow one another, beginning with the present, so
    that a thousand of one owner and the few of another alternate.
    """
    open_batches = Batch.objects.filter(owner_id=owner_id, state=BatchState.OPEN)
    owners_last = open_batches.aggregate(last=Max("last_turn"))["last"] or 0
    return max(present_turn(priority), owners_last) + 1


def present_turn(priority: int) -> int:
    """Return the earliest turn that is still waiting."""
    ready = Execution.objects.filter(
        state__in=(State.PENDING, State.FAILED), priority=priority
    ).order_by("priority", "vtime", "id")
    return ready.values_list("vtime", flat=True).first() or 0


def want(
    programs: Mapping[bytes, PreparedProgram], wish: Wish, chained: Collection[bytes]
) -> list[Execution]:
    """Return the programs' executions, inserted where they are new, as nobody else changes them.

    Those that have a result are not locked, except `chained` ones and where they are to run
    again: they may get another result, but always have one, and are not removed meanwhile. Keys
    in `chained` may be of others' executions, which are locked with the rest, in key order.
    """
    keys = sorted({*programs, *chained})
    ours: list[Execution] = []  # which nobody else sees yet
    while keys:
        known = {bytes(key) for key in _known(keys).values_list("key", flat=True)}
        if new := {key: programs[key] for key in keys if key in programs and key not in known}:
            ours += _store(new, wish)
            inserted = {execution.key for execution in ours}
            keys = [key for key in keys if key not in inserted]
        locked = _lock(keys, {*wish.afresh, *chained})
        with connection.cursor() as cursor:
            cursor.execute(_HOLD_EXECUTIONS, [keys])
        executions = list(_known(keys).select_related("result").defer("program", *_UNTOLD))
        # One may have been removed before it was held, or be run again since it was passed over.
        if len(executions) == len(keys) and all(
            row.state == State.SUCCEEDED or row.pk in locked for row in executions
        ):
            return ours + [row for row in executions if bytes(row.key) in programs]
    return ours


def revive(execution: Execution, wish: Wish) -> bool:
    """Make it pending if it was not wanted, or sooner if it waits; say whether it changed."""
    key = bytes(execution.key)
    is_again = key in wish.afresh and execution.state == State.SUCCEEDED
    if is_again or execution.state in REVIVABLE:
        execution.state = State.PENDING
        execution.attempts, execution.due_at = 0, None
        execution.owner_id = wish.owners[key]
        execution.vtime, execution.priority = wish.turns[key], wish.priorities[key]
        return True
    if execution.state in OPEN_STATES and execution.priority > wish.priorities[key]:
        execution.priority = wish.priorities[key]
        return True
    return False


def save_revived(executions: Sequence[Execution]) -> None:
    """Write what `revive` has changed."""
    Execution.objects.bulk_update(
        executions,
        ["state", "attempts", "due_at", "owner", "vtime", "priority"],
        batch_size=500,
    )


def _known(keys: Sequence[bytes]) -> QuerySet[Execution]:
    return Execution.objects.filter(key__in=keys)


def _store(programs: Mapping[bytes, PreparedProgram], wish: Wish) -> list[Execution]:
    """Insert the executions that are new, and of these the sources; return those."""
    rows: Any = Jsonb(
        [
            {
                "key": key.hex(),
                "program": program.canonical,
                "tag": program.tag,
                "owner_id": wish.owners[key],
                "state": wish.first_state(key),
                "priority": wish.priorities[key],
                "vtime": wish.turns[key],
            }
            for key, program in programs.items()
        ]
    )
    with connection.cursor() as cursor:
        cursor.execute(_INSERT_EXECUTIONS, [rows])
        added = {bytes(key): execution_id for execution_id, key in cursor}
        sources = {sha256: text for key in added for sha256, text in programs[key].sources.items()}
        missing = set(sources)
        while missing and (missing := missing - _hold_sources(cursor, missing)):
            texts: Any = Jsonb(
                [{"sha256": sha256.hex(), "text": sources[sha256]} for sha256 in missing]
            )
            cursor.execute(_INSERT_SOURCES, [texts])
            missing -= {bytes(sha256) for (sha256,) in cursor}
    return [
        Execution.from_db(
            connection.alias,
            _OF_NEW,
            (pk, key, wish.owners[key], wish.first_state(key), wish.priorities[key], 0),
        )
        for key, pk in added.items()
    ]


def _hold_sources(cursor: Any, hashes: Iterable[bytes]) -> set[bytes]:
    """Hold those that are there, and note that they are used."""
    cursor.execute(_HOLD_SOURCES, [list(hashes)])
    held = {bytes(sha256): is_stale for sha256, is_stale in cursor}
    if stale := [sha256 for sha256, is_stale in held.items() if is_stale]:
        cursor.execute(_TOUCH_SOURCES, [stale])
    return set(held)


def _lock(keys: Sequence[bytes], all_of: Collection[bytes]) -> set[int]:
    """Lock those that may still change and those whose last use is to be noted, in key order."""
    stale = Q(used_at__lt=Now() - USED_LATELY)
    wanted = Execution.objects.filter(key__in=keys).filter(
        ~Q(state=State.SUCCEEDED) | stale | Q(key__in=list(all_of))
    )
    rows = wanted.annotate(is_stale=stale).order_by("key").select_for_update(no_key=True)
    locked = dict(rows.values_list("pk", "is_stale"))
    if any(locked.values()):
        Execution.objects.filter(stale, pk__in=locked).update(used_at=Now())
    return set(locked)
