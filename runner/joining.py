"""The joiner: numbers a topic's events and completes its batches, one at a time, in nobody's way.

Whoever has committed something calls it. It takes the topic's lock only if that is free: the
holder takes the newcomers along, because it looks once more after its own commit. A crash between
the two is what the sweeper is for.
"""

from collections.abc import Iterable
from typing import NamedTuple

from django.db import connection, transaction

from runner.batch_log import log_ended
from runner.counting import BATCHES, count
from runner.states import BatchState
from runner.topics import wake

# Locking and looking are statements of their own: a statement sees what was there when it began,
# before it waited or skipped. `is_open` reads alike in all of them.
#
# While another session holds an old snapshot, dead rows stay in every index. So an open task is
# looked for from the last one back, since the first have ended; and events only among those that
# were written after the last look began (`xid`).
_NOTHING_OPEN = """
    (select t.id from runner_task t
        where t.batch_id = b.id and t.state in (0, 1, 2, 6) order by t.id desc limit 1) is null
    and not exists (select from runner_batch c
        where c.parent_id = b.id and c.state = 0)
    and not exists (select from runner_followup f where f.batch_id = b.id)
"""
_IS_READY = f"b.state = 0 and b.all_tasks_loaded and {_NOTHING_OPEN}"

_LOCK_TOPIC = "select id from runner_topic where id = %s for no key update skip locked"
# Who adds a child shares this lock until its commit: then the batch is not complete.
_LOCK_BATCHES = f"""
    select b.id from runner_batch b where b.topic_id = %s and {_IS_READY}
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
    insert into runner_outboxevent (topic_id, type, payload)
    select b.topic_id, 'batch.finished', jsonb_build_object(
        'batch', b.id,
        'state', case b.state when 1 then 'complete' else 'cancelled' end,
        'total', (select count(*) from runner_task t where t.batch_id = b.id),
        'verdicts', (select coalesce(jsonb_object_agg(v.verdict, v.n), '{}') from (
            select r.verdict, count(*) n from runner_task t
            join runner_result r on r.execution_id = t.execution_id
            where t.batch_id = b.id and t.state = 3 group by r.verdict) v),
        'finished_at', b.finished_at)
    from runner_batch b where b.id = any(%s) order by b.id
"""
_NUMBER = """
    with moved as (
        delete from runner_outboxevent where topic_id = %(topic)s and xid >= %(front)s
        returning id, type, payload, created_at
    ), numbered as (
        insert into runner_event (topic_id, seq, type, payload, created_at)
        select t.id, t.head_seq + row_number() over (order by m.id),
               m.type, m.payload, m.created_at
        from moved m join runner_topic t on t.id = %(topic)s
        returning seq
    )
    update runner_topic set head_seq = (select max(seq) from numbered)
    where id = %(topic)s and exists (select from numbered)
    returning pg_snapshot_xmin(pg_current_snapshot())::text::bigint
"""
_IS_DIRTY = f"""
    select exists (
            select from runner_outboxevent where topic_id = %(topic)s and xid >= %(front)s)
        or exists (select from runner_batch b where b.topic_id = %(topic)s and {_IS_READY})
"""  # noqa: S608
_TOPICS_OF_BATCHES = "select distinct topic_id from runner_batch where id = any(%s)"


# A batch may look ready and be held by somebody who adds a child to it: not waited for.
_IDLE_LOOKS = 3


# By topic, the number of the oldest transaction that was under way when its events were numbered
# here last: what older ones have written is numbered.
_fronts: dict[int, int] = {}
_MOST_FRONTS = 10_000


class _Ended(NamedTuple):
    id: int
    parent_id: int | None
    state: int


class _Joined(NamedTuple):
    held: bool  # the lock was ours; if not, its holder looks again after us
    numbered: bool
    ended: list[_Ended]


def join_topics(topic_ids: Iterable[int], *, thoroughly: bool = False) -> None:
    """Number the events of these topics, complete their batches, then those batches' parents.

    To be called outside of transactions, after what is to be joined was committed. `thoroughly` is
    for who wonders why something is left: in place of this database there may be another one now,
    that counts its transactions anew.
    """
    to_join = list(dict.fromkeys(topic_ids))
    if thoroughly:
        for topic_id in to_join:
            _fronts.pop(topic_id, None)
    ended: list[_Ended] = []
    while to_join:
        topic_id = to_join.pop(0)
        ended_here: list[_Ended] = []
        idle_looks = 0
        while idle_looks < _IDLE_LOOKS:
            joined = _join(topic_id)
            ended_here += joined.ended
            if joined.numbered:
                wake([topic_id])
            idle_looks = 0 if joined.numbered else idle_looks + 1
            if not joined.held or not _is_dirty(topic_id):
                break
        parents = [batch.parent_id for batch in ended_here if batch.parent_id is not None]
        to_join += [parent for parent in topics_of_batches(parents) if parent not in to_join]
        ended += ended_here
    log_ended([batch.id for batch in ended])


def topics_of_batches(batch_ids: Iterable[int]) -> list[int]:
    """Return the topics of these batches."""
    wanted = list(batch_ids)
    if not wanted:
        return []
    with connection.cursor() as cursor:
        cursor.execute(_TOPICS_OF_BATCHES, [wanted])
        return [topic_id for (topic_id,) in cursor]


def _join(topic_id: int) -> _Joined:
    """Complete first and number afterwards, so that nothing lands behind a completion."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_LOCK_TOPIC, [topic_id])
        if cursor.fetchone() is None:
            return _Joined(held=False, numbered=False, ended=[])
        ended: list[_Ended] = []
        cursor.execute(_LOCK_BATCHES, [topic_id])
        if ready := [batch_id for (batch_id,) in cursor]:
            cursor.execute(_COMPLETE, [ready])
            ended = [_Ended(*row) for row in cursor]
            cursor.execute(_ANNOUNCE, [[batch.id for batch in ended]])
        cursor.execute(_NUMBER, _place(topic_id))
        numbered: tuple[int] | None = cursor.fetchone()
    if numbered:
        _move_front(topic_id, *numbered)
    for batch in ended:
        count(BATCHES, BatchState(batch.state).label)
    return _Joined(held=True, numbered=numbered is not None, ended=ended)


def _is_dirty(topic_id: int) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(_IS_DIRTY, _place(topic_id))
        return bool(cursor.fetchone()[0])


def _place(topic_id: int) -> dict[str, int]:
    return {"topic": topic_id, "front": _fronts.get(topic_id, 0)}


def _move_front(topic_id: int, front: int) -> None:
    if len(_fronts) >= _MOST_FRONTS:
        _fronts.clear()
    _fronts[topic_id] = front
