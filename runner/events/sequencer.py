"""Assigns sequence numbers to new events and completes finished batches, without blocking writers.

Call it after each commit that added events. A topic whose lock is taken is skipped: the holder
scans again after its own commit and finds the new events. If the holder crashes in between, the
sweeper does it. Many topics share one transaction, which never waits for a lock.
"""

import itertools
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.db import connection, transaction

from runner.events.wakeups import wake_followers
from runner.states import BatchState
from runner.telemetry.batch_log import log_ended
from runner.telemetry.counters import count
from runner.telemetry.families import BATCHES

# Locking and scanning are separate statements: a statement sees what was committed before it began,
# not before it got its locks. So each repeats the condition `_IS_READY`.
#
# While another session holds an old snapshot, dead rows stay in every index. So open tasks are
# searched backwards, because the first ones have ended, and events only among those written since
# the last scan (`xid`).
_NOTHING_OPEN = """
    (select t.id from runner_task t
        where t.batch_id = b.id and t.state in (0, 1, 2, 6) order by t.id desc limit 1) is null
    and not exists (select from runner_batch c
        where c.parent_id = b.id and c.state = 0)
    and not exists (select from runner_followup f where f.batch_id = b.id)
"""
_IS_READY = f"b.state = 0 and b.all_tasks_loaded and {_NOTHING_OPEN}"

_LOCK_TOPICS = """
    select id from runner_topic where id = any(%s) order by id for no key update skip locked
"""
# A session that adds a child holds a shared lock until its commit; such a batch is skipped.
_LOCK_BATCHES = f"""
    select b.id from runner_batch b where b.topic_id = any(%s) and {_IS_READY}
    order by b.id for no key update skip locked
"""  # noqa: S608 - constants of ours
_COMPLETE = f"""
    update runner_batch b set finished_at = now(), state = case
        when b.is_cut_short or exists (select from runner_task t
            where t.batch_id = b.id and t.state = 5) then 2
        else 1 end
    where b.id = any(%s) and {_IS_READY}
    returning b.id, b.parent_id, b.state
"""  # noqa: S608
_ANNOUNCE = """
    insert into runner_outboxevent (topic_id, events)
    select b.topic_id, jsonb_build_array(jsonb_build_array('batch.finished', jsonb_build_object(
        'batch', b.id,
        'state', case b.state when 1 then 'complete' else 'cancelled' end,
        'total', (select count(*) from runner_task t
            where t.batch_id = b.id and not t.is_load_check),
        'verdicts', coalesce(v.of_tests, '{}'),
        'load_checks', coalesce(v.of_load_checks, '{}'),
        'finished_at', b.finished_at)))
    from runner_batch b cross join lateral (
        select jsonb_object_agg(g.verdict, g.n) filter (where not g.is_load_check) as of_tests,
               jsonb_object_agg(g.verdict, g.n) filter (where g.is_load_check) as of_load_checks
        from (
            select t.is_load_check, r.verdict, count(*) n from runner_task t
            join runner_result r on r.execution_id = t.execution_id
            where t.batch_id = b.id and t.state = 3 group by t.is_load_check, r.verdict) g) v
    where b.id = any(%s) order by b.id
"""
# Rows are selected by id, because joins with the moved rows would sometimes scan whole tables.
_NUMBER = """
    with moved as (
        delete from runner_outboxevent where id = any(array(
            select w.id from unnest(%(topics)s::bigint[], %(fronts)s::bigint[]) p (topic_id, front)
            cross join lateral (
                select o.id from runner_outboxevent o
                where o.topic_id = p.topic_id and o.xid >= p.front offset 0) w))
        returning id, topic_id, events, created_at
    ), numbered as (
        insert into runner_event (topic_id, seq, type, payload, created_at)
        select t.id, t.head_seq + row_number() over (partition by t.id order by m.id, e.n),
               e.event ->> 0, e.event -> 1, m.created_at
        from moved m join runner_topic t on t.id = m.topic_id and t.id = any(%(topics)s)
        cross join lateral jsonb_array_elements(m.events) with ordinality as e (event, n)
        returning topic_id, seq
    )
    update runner_topic t set head_seq = n.head_seq
    from (select topic_id, max(seq) as head_seq from numbered group by topic_id) n
    where t.id = n.topic_id and t.id = any(%(topics)s)
    returning t.id, pg_snapshot_xmin(pg_current_snapshot())::text::bigint
"""
_TOPICS_WITH_WORK = f"""
    select p.topic_id from unnest(%(topics)s::bigint[], %(fronts)s::bigint[]) p (topic_id, front)
    where exists (select from runner_outboxevent o
            where o.topic_id = p.topic_id and o.xid >= p.front)
        or exists (select from runner_batch b where b.topic_id = p.topic_id and {_IS_READY})
"""  # noqa: S608
_TOPICS_OF_BATCHES = "select distinct topic_id from runner_batch where id = any(%s)"


# A batch may look ready but be locked by a session that adds a child: it is left to that session.
_MAX_IDLE_SCANS = 3
_TOPICS_PER_TRANSACTION = 64  # other processes skip these topics until it commits


# By topic id, the oldest transaction that was running when this process last numbered the topic's
# events: all events of older transactions are numbered.
_scan_starts: dict[int, int] = {}
_MAX_SCAN_STARTS = 10_000


class _EndedBatch(NamedTuple):
    id: int
    parent_id: int | None
    state: int


class _Sequenced(NamedTuple):
    held: list[int]  # topics that could be locked
    numbered: list[int]  # topics with new events
    ended: list[_EndedBatch]


def sequence_topics(topic_ids: Iterable[int], *, full_scan: bool = False) -> None:
    """Number the topics' events and complete their batches, then those of the batches' parents.

    Call it after the commit, outside of transactions. With `full_scan`, all events are scanned, not
    only recent ones: the database may have been replaced by one with other transaction ids.
    """
    pending = dict.fromkeys(topic_ids, 0)  # and the number of scans without effect
    if full_scan:
        for topic_id in pending:
            _scan_starts.pop(topic_id, None)
    ended: list[int] = []
    while pending:
        some = dict(itertools.islice(pending.items(), _TOPICS_PER_TRANSACTION))
        pending = dict(itertools.islice(pending.items(), _TOPICS_PER_TRANSACTION, None))
        sequenced = _sequence(list(some))
        if sequenced.numbered:
            wake_followers(sequenced.numbered)
        for topic_id in _topics_with_work(sequenced.held):
            idle_scans = 0 if topic_id in sequenced.numbered else some[topic_id] + 1
            if idle_scans < _MAX_IDLE_SCANS:
                pending[topic_id] = idle_scans
        parents = [batch.parent_id for batch in sequenced.ended if batch.parent_id is not None]
        pending.update(dict.fromkeys(topics_of_batches(parents), 0))
        ended += [batch.id for batch in sequenced.ended]
    log_ended(ended)


def topics_of_batches(batch_ids: Iterable[int]) -> list[int]:
    """Return the ids of the batches' topics."""
    ids = list(batch_ids)
    if not ids:
        return []
    with connection.cursor() as cursor:
        cursor.execute(_TOPICS_OF_BATCHES, [ids])
        return [topic_id for (topic_id,) in cursor]


def _sequence(topic_ids: Sequence[int]) -> _Sequenced:
    """Complete batches, then number events, so that no event of a batch follows its completion."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_LOCK_TOPICS, [list(topic_ids)])
        held = [topic_id for (topic_id,) in cursor]
        if not held:
            return _Sequenced([], [], [])
        ended: list[_EndedBatch] = []
        cursor.execute(_LOCK_BATCHES, [held])
        if ready := [batch_id for (batch_id,) in cursor]:
            cursor.execute(_COMPLETE, [ready])
            ended = [_EndedBatch(*row) for row in cursor]
            cursor.execute(_ANNOUNCE, [[batch.id for batch in ended]])
        cursor.execute(_NUMBER, _scan_terms(held))
        scan_starts: dict[int, int] = dict(cursor)
    for topic_id, scan_start in scan_starts.items():
        _set_scan_start(topic_id, scan_start)
    for batch in ended:
        count(BATCHES, BatchState(batch.state).label)
    return _Sequenced(held, list(scan_starts), ended)


def _topics_with_work(topic_ids: Sequence[int]) -> list[int]:
    """Return those of the topics that have events to number or batches to complete."""
    if not topic_ids:
        return []
    with connection.cursor() as cursor:
        cursor.execute(_TOPICS_WITH_WORK, _scan_terms(topic_ids))
        return [topic_id for (topic_id,) in cursor]


def _scan_terms(topic_ids: Sequence[int]) -> dict[str, list[int]]:
    scan_starts = [_scan_starts.get(topic_id, 0) for topic_id in topic_ids]
    return {"topics": list(topic_ids), "fronts": scan_starts}


def _set_scan_start(topic_id: int, scan_start: int) -> None:
    if len(_scan_starts) >= _MAX_SCAN_STARTS:
        _scan_starts.clear()
    _scan_starts[topic_id] = scan_start
