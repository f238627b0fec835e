"""Retention: removes old rows that nothing refers to, some at a time.

Each function checks the next rows after its cursor and returns the new cursor, 0 at the end. It
doesn't disturb concurrent submissions: these lock the executions and sources that they reuse, store
the time of use, and insert again what has been removed.
"""

from datetime import timedelta

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Max
from django.db.models.functions import Now

from runner.events.sequencer import sequence_topics
from runner.models import Batch, Event, Execution, FanOut, Incident, Task, Topic
from runner.registry import handlers

TOPICS_AT_ONCE = 2_000
EVENTS_AT_ONCE = 5_000
BATCHES_AT_ONCE = 20
TASKS_AT_ONCE = 5_000
EXECUTIONS_AT_ONCE = 2_000
SOURCES_AT_ONCE = 5_000

_TOPICS_WITH_OLD_EVENTS = """
    with page as materialized (
        select id, first_seq from runner_topic where id > %(cursor)s order by id limit %(most)s
    )
    select t.id from page t
    join runner_event e on e.topic_id = t.id and e.seq = t.first_seq
    where e.created_at < now() - make_interval(days => %(days)s)
    order by t.id
"""
_OLD_PREFIX = """
    select coalesce(
        min(e.seq) filter (where e.created_at >= now() - make_interval(days => %(days)s)),
        max(e.seq) + 1)
    from (select seq, created_at from runner_event where topic_id = %(topic)s
        order by seq limit %(most)s) e
"""
# Children are removed before their parents, but not while the parent is open.
_OLD_BATCHES = """
    select b.id from runner_batch b left join runner_batch p on p.id = b.parent_id
    where b.finished_at < now() - make_interval(days => %s) and (p.state is null or p.state <> 0)
      and not exists (select from runner_batch c where c.parent_id = b.id)
    order by b.finished_at limit %s for no key update of b skip locked
"""
_OLD_EXECUTIONS = """
    select e.id, e.key from runner_execution e
    where e.id = any(%s) and e.state in (3, 4, 5, 6)
      and e.used_at < now() - make_interval(days => %s)
      and not exists (select from runner_task t where t.execution_id = e.id)
    order by e.key for update skip locked
"""
_REMOVE_SOURCES = """
    with used as materialized (
        select distinct decode(m ->> 1, 'hex') as sha256
        from runner_execution e, jsonb_array_elements(e.program -> 'modules') as m
    ), idle as materialized (
        select s.sha256 from runner_source s
        where s.used_at < now() - make_interval(days => %s)
          and not exists (select from used u where u.sha256 = s.sha256)
        limit %s for update of s skip locked
    )
    delete from runner_source s using idle i where i.sha256 = s.sha256
"""


def remove_events(cursor: int) -> int:
    """Remove old events of the next topics; clients that have not read them must reset."""
    some = Topic.objects.filter(pk__gt=cursor).order_by("pk")[:TOPICS_AT_ONCE]
    last = some.aggregate(last=Max("pk"))["last"]
    terms = {"cursor": cursor, "most": TOPICS_AT_ONCE, "days": settings.KEEP_EVENTS_DAYS}
    with connection.cursor() as rows:
        rows.execute(_TOPICS_WITH_OLD_EVENTS, terms)
        topic_ids = [topic_id for (topic_id,) in rows]
    for topic_id in topic_ids:
        _purge_topic(topic_id)
    return int(last or 0)


def _purge_topic(topic_id: int) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        topic = Topic.objects.select_for_update(no_key=True, skip_locked=True)
        if not topic.filter(pk=topic_id).exists():
            return
        terms = {
            "topic": topic_id,
            "most": EVENTS_AT_ONCE,
            "days": settings.KEEP_EVENTS_DAYS,
        }
        cursor.execute(_OLD_PREFIX, terms)
        first_seq = cursor.fetchone()[0]
        if first_seq is None:
            return
        Event.objects.filter(topic=topic_id, seq__lt=first_seq).delete()
        Topic.objects.filter(pk=topic_id).update(first_seq=first_seq)
    # Sequencers that found the topic locked have skipped its events.
    sequence_topics([topic_id])


def remove_batches(_cursor: int) -> int:
    """Remove batches that ended long ago, with their tasks; return 1 if there may be more."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_OLD_BATCHES, [settings.KEEP_BATCHES_DAYS, BATCHES_AT_ONCE])
        batch_ids = [batch_id for (batch_id,) in cursor]
        tasks = Task.objects.filter(batch__in=batch_ids).values_list("pk", flat=True)
        some = list(tasks[:TASKS_AT_ONCE])
        Task.objects.filter(predecessor__in=some).update(predecessor=None)
        Task.objects.filter(pk__in=some).delete()
        if len(some) < TASKS_AT_ONCE:
            Batch.objects.filter(pk__in=batch_ids).delete()
    return int(bool(batch_ids))


def remove_results(cursor: int) -> int:
    """Remove executions that have not been used for long, with their results and attempts."""
    ids = list(
        Execution.objects.filter(pk__gt=cursor)
        .order_by("pk")
        .values_list("pk", flat=True)[:EXECUTIONS_AT_ONCE]
    )
    if not ids:
        return 0
    with transaction.atomic(), connection.cursor() as rows:
        rows.execute(_OLD_EXECUTIONS, [ids, settings.KEEP_RESULTS_DAYS])
        idle = {bytes(key): execution_id for execution_id, key in rows}
        # Check again: now they are locked, so no new task can refer to them.
        used = Task.objects.filter(execution__in=idle.values()).values_list("execution__key")
        kept = {bytes(key) for (key,) in used}
        for rule in handlers.retention_rules:
            kept |= {bytes(key) for key in rule(list(idle))} if idle else set()
        unused = [pk for key, pk in idle.items() if key not in kept]
        Execution.objects.filter(pk__in=unused).delete()
    return ids[-1]


def remove_sources(_cursor: int) -> int:
    """Remove sources that no program uses any more. Reads all executions."""
    with connection.cursor() as cursor:
        cursor.execute(_REMOVE_SOURCES, [settings.KEEP_RESULTS_DAYS, SOURCES_AT_ONCE])
        return int(cursor.rowcount == SOURCES_AT_ONCE)


def remove_records(_cursor: int) -> int:
    """Remove incidents and ended fan-out runs that are older than KEEP_BATCHES_DAYS."""
    cutoff = Now() - timedelta(days=settings.KEEP_BATCHES_DAYS)
    Incident.objects.filter(created_at__lt=cutoff).delete()
    FanOut.objects.filter(finished_at__lt=cutoff).delete()
    return 0
