"""Observes the database from outside: work in progress, leftovers and violations."""

import json
import time
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db import InterfaceError, OperationalError, connection

from chaos.invariants import LOST, WRONG, Violation, violations
from chaos.programs import IGNORED, TAG
from functions.maintenance.verification import find_differences

DATABASE_AWAY = (OperationalError, InterfaceError)
PATIENCE_SECONDS = 30.0
LOOK_SECONDS = 0.1

_HOLDERS = """
    select distinct split_part(worker, ':', 2)::int from runner_execution
    where state = 1 and leased_until > now()
"""
_HOLDING_HOSTS = """
    select distinct split_part(worker, ':', 1) from runner_execution
    where state = 1 and leased_until > now()
"""
_OPEN_OF = "select count(*) from runner_batch where state = 0 and id = any(%s)"
_VERDICTS = """
    select extract(epoch from created_at)::float from runner_result
    where created_at between to_timestamp(%s) and to_timestamp(%s) order by created_at
"""
_HOLDER_OF = """
    select split_part(worker, ':', 2)::int from runner_execution
    where key = %s and state = 1 and leased_until > now()
"""
_UNDER_WAY = "select now(), array(select id from runner_batch where state = 0 order by id)"
_UNJOINED = "select 1 from runner_outboxevent limit 1"
_HEADS = "select name, head_seq from runner_topic"
_EVENTS = """
    select e.id, t.name, e.seq, e.type, e.payload
    from runner_event e join runner_topic t on t.id = e.topic_id
    where e.id > %s order by e.topic_id, e.seq
"""
_REQUESTED = """
    select request_key, array_agg(id) from runner_batch where request_key = any(%s)
    group by request_key
"""
_SLOWEST = """
    select extract(epoch from max(finished_at) - %s::timestamptz) from runner_batch
    where id = any(%s)
"""
_BUSY = """
    select (select count(*) from runner_batch where state = 0)
        + (select count(*) from runner_execution where state in (0, 1, 2, 6))
        + (select count(*) from runner_outboxevent) + (select count(*) from runner_arrival)
        + (select count(*) from runner_followup where due_at is not null)
        + (select count(*) from runner_attempt where outcome = '')
"""
_WRONG = f"""
    select format('execution %s ended as %s, expected was %s', e.id, coalesce(r.verdict, 'none'),
        split_part(e.tag, ':', 2))
    from runner_execution e left join runner_result r on r.execution_id = e.id
    where e.tag like '{TAG}:%' and r.verdict <> split_part(e.tag, ':', 2)
    union all
    select format('execution %s, which kills its workers, is in state %s', id, state)
    from runner_execution
    where tag = '{TAG}:{IGNORED}:' and state <> 4
    union all
    select format('execution %s was given up after %s bad attempts', e.id, count(a.id))
    from runner_execution e left join runner_attempt a on a.execution_id = e.id
        and a.outcome in ('lost', 'failed')
    where e.state = 4 group by e.id having count(a.id) < 3
    union all
    select format('incident %s: %s', kind, detail) from runner_incident
"""


_LOAD = """
    select (select format('%s batches, %s of them cancelled', count(*),
            count(*) filter (where state = 2)) from runner_batch),
        (select format('%s tasks, %s of them given up', count(*),
            count(*) filter (where state = 4)) from runner_task),
        (select string_agg(format('%s attempts %s', n, outcome), ', ' order by n desc) from (
            select outcome, count(*) as n from runner_attempt group by outcome) a),
        (select format('%s events', count(*)) from runner_event),
        (select format('%s votes', count(*)) from functions_vote),
        (select format('%s works', (select count(*) from functions_implementation)
            + (select count(*) from functions_test)))
"""


class Moment(NamedTuple):
    """An instant, and the batches that were open then."""

    at: datetime
    open_batches: list[int]


def ask(statement: str, values: Sequence[Any] | None = None) -> list[tuple[Any, ...]]:
    """Return the rows of a query, repeated until the database responds."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            with connection.cursor() as cursor:
                cursor.execute(statement, values)
                return list(cursor.fetchall())
        except DATABASE_AWAY:
            connection.close()
            if time.monotonic() > deadline:
                raise
            time.sleep(LOOK_SECONDS)


def holders() -> set[int]:
    """Return the process ids of the workers that hold leases."""
    return {pid for (pid,) in ask(_HOLDERS)}


def holding_hosts() -> set[str]:
    """Return the names of the hosts whose workers hold leases."""
    return {host for (host,) in ask(_HOLDING_HOSTS)}


def holder_of(key: bytes) -> int | None:
    """Return the process id of the worker that executes this program."""
    return next((pid for (pid,) in ask(_HOLDER_OF, [key])), None)


def moment() -> Moment:
    """Return the present, by the database's clock."""
    return Moment(*ask(_UNDER_WAY)[0])


def is_something_unjoined() -> bool:
    """Return whether there are committed events without a sequence number."""
    return bool(ask(_UNJOINED))


def heads() -> dict[str, int]:
    """Return the heads of all topics."""
    return dict(ask(_HEADS))


def events_since(event_id: int) -> list[tuple[int, str, dict[str, Any]]]:
    """Return (id, topic, event) of events with greater ids, in order within each topic."""
    return [
        (pk, topic, {"seq": seq, "type": kind, "payload": json.loads(payload)})
        for pk, topic, seq, kind, payload in ask(_EVENTS, [event_id])
    ]


def batches_of(request_keys: Sequence[str]) -> dict[str, list[int]]:
    """Return the batches with these request keys."""
    return dict(ask(_REQUESTED, [list(request_keys)]))


def seconds_to_recover(since: Moment) -> float:
    """Return the seconds until all batches that were open then had ended."""
    return max(0.0, float(ask(_SLOWEST, [since.at, since.open_batches])[0][0] or 0))


def has_recovered(since: Moment) -> bool:
    """Return whether all batches that were open then have ended."""
    return bool(ask(_OPEN_OF, [since.open_batches])[0][0] == 0)


def verdicts_between(began: float, ended: float) -> list[float]:
    """Return when results were recorded in this period, in seconds since the epoch."""
    return [at for (at,) in ask(_VERDICTS, [began, ended])]


def is_quiet() -> bool:
    """Return whether nothing is open, due or unprocessed."""
    return bool(ask(_BUSY)[0][0] == 0)


def load_in_words() -> str:
    """Return a summary of the load."""
    return "; ".join(map(str, ask(_LOAD)[0]))


def find_wrong() -> list[Violation]:
    """Return all violations in the database; the site must be quiet."""
    connection.close()
    found = violations()
    found += [Violation("as expected", WRONG, text) for (text,) in ask(_WRONG)]
    found += [Violation("verify", WRONG, text) for text in find_differences()]
    return found


def left_over(texts: Sequence[str]) -> list[Violation]:
    """Return a violation for each text."""
    return [Violation("nothing is left behind", LOST, text) for text in texts]
