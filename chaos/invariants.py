"""Invariants of the tables when the site is quiet, whatever happened to the processes.

Checked in plain SQL, independently of the tested code.
"""

from typing import NamedTuple

from django.db import connection

LOST, DUPLICATED, WRONG = "lost", "duplicated", "wrong"


class Law(NamedTuple):
    """An invariant, and a query that returns a sentence for each row that violates it."""

    name: str
    kind: str
    broken: str


class Violation(NamedTuple):
    """A violation of an invariant."""

    law: str
    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.law}, {self.kind}: {self.text}"


# Number of reruns of an execution despite its result (`reruns.rerun_batch`).
_AGAIN = """
    (select count(*) from runner_task t join runner_batch b on b.id = t.batch_id
     where t.execution_id = e.id and b.cause like '% again')
"""
_PER_TASK = """
    select t.id, t.state, count(v.id) as told, min(v.payload->>'state') as said
    from runner_task t join runner_batch b on b.id = t.batch_id
    left join runner_event v on v.topic_id = b.topic_id and v.type = 'task.finished'
        and (v.payload->>'task')::bigint = t.id
    group by t.id
"""
_PER_BATCH = """
    select b.id, b.state, count(v.id) as told, min(v.payload->>'state') as said, max(v.seq) as seq,
        (select max(o.seq) from runner_event o where o.topic_id = b.topic_id
            and (o.payload->>'batch')::bigint = b.id) as last
    from runner_batch b
    left join runner_event v on v.topic_id = b.topic_id and v.type = 'batch.finished'
        and (v.payload->>'batch')::bigint = b.id
    group by b.id
"""

LAWS = (
    Law(
        "I1 one accepted outcome per execution",
        DUPLICATED,
        f"""
        select format('execution %s has %s recorded attempts', e.id, count(a.id))
        from runner_execution e
        join runner_attempt a on a.execution_id = e.id and a.outcome = 'recorded'
        group by e.id having count(a.id) > 1 + {_AGAIN}
        """,
    ),
    Law(
        "I1 one accepted outcome per execution",
        WRONG,
        """
        select format('the result of execution %s (state %s) is of no recorded attempt',
            e.id, e.state)
        from runner_result r join runner_execution e on e.id = r.execution_id
        where e.state <> 3 or not exists (select from runner_attempt a
            where a.execution_id = e.id and a.outcome = 'recorded' and a.number = r.attempt)
        """,
    ),
    Law(
        "I2 tokens only grow",
        WRONG,
        """
        select format('execution %s: token %s after %s', execution_id, token, former) from (
            select execution_id, token, lag(token) over attempts as former from runner_attempt
            window attempts as (partition by execution_id order by id)) a
        where token <= former
        union all
        select format('execution %s: token %s, but an attempt has %s', e.id, e.token, max(a.token))
        from runner_execution e join runner_attempt a on a.execution_id = e.id
        group by e.id having e.token < max(a.token)
        """,
    ),
    Law(
        "I3 final states are final",
        WRONG,
        f"""
        select format('task %s is in state %s, its event has %s', id, state, said)
        from ({_PER_TASK}) t where told > 0 and said is distinct from
            case state when 3 then 'succeeded' when 4 then 'ignored' when 5 then 'cancelled' end
        """,
    ),
    Law(
        "I3 final states are final",
        DUPLICATED,
        f"select format('task %s has %s events of its end', id, told)"
        f" from ({_PER_TASK}) t where told > 1",
    ),
    Law(
        "I4 one completion, and last",
        LOST,
        f"select format('batch %s has ended without an event', id)"
        f" from ({_PER_BATCH}) b where state <> 0 and told = 0",
    ),
    Law(
        "I4 one completion, and last",
        DUPLICATED,
        f"select format('batch %s has %s events of its end', id, told)"
        f" from ({_PER_BATCH}) b where told > 1",
    ),
    Law(
        "I4 one completion, and last",
        WRONG,
        f"""
        select format('batch %s in state %s: its end has %s and sequence %s, its last event has %s',
            id, state, said, seq, last)
        from ({_PER_BATCH}) b where told > 0 and (seq <> last or said is distinct from
            case state when 1 then 'complete' when 2 then 'cancelled' end)
        union all
        select format('batch %s has ended with open tasks, children or follow-ups', b.id)
        from runner_batch b
        where b.state <> 0 and (not b.all_tasks_loaded
            or exists (select from runner_task t
                where t.batch_id = b.id and t.state in (0, 1, 2, 6))
            or exists (select from runner_batch c where c.parent_id = b.id and c.state = 0)
            or exists (select from runner_followup f where f.batch_id = b.id))
        """,
    ),
    Law(
        "I5 what is committed ends",
        LOST,
        f"""
        select format('batch %s is open', id) from runner_batch where state = 0
        union all select format('task %s of a batch that has ended is open', t.id)
        from runner_task t join runner_batch b on b.id = t.batch_id
        where t.state in (0, 1, 2, 6) and b.state <> 0
        union all select format('execution %s is in state %s', id, state)
        from runner_execution where state in (0, 1, 2, 6)
        union all select format('attempt %s has not ended', id)
        from runner_attempt where outcome = ''
        union all select format('task %s has ended without an event', id)
        from ({_PER_TASK}) t where state in (3, 4, 5) and told = 0
        union all select format('events %s (%s) were not sequenced', id, events)
        from runner_outboxevent
        union all select format('follow-up %s (%s) was not run', id, name)
        from runner_followup where due_at is not null
        union all select format('arrival %s (%s) was not processed', id, view) from runner_arrival
        """,
    ),
    Law(
        "I5 what is committed ends",
        LOST,
        """
        select format('topic %s has %s events from %s to %s, its head is %s',
            t.id, count(v.id), min(v.seq), max(v.seq), t.head_seq)
        from runner_topic t left join runner_event v on v.topic_id = t.id
        group by t.id having count(v.id) <> t.head_seq - t.first_seq + 1
            or coalesce(max(v.seq), t.head_seq) <> t.head_seq
        """,
    ),
    Law(
        "I6 started attempts are at most 3",
        WRONG,
        """
        select format('execution %s has an attempt %s', execution_id, number)
        from runner_attempt where number not between 1 and 3
        union all select format('execution %s counts %s attempts', id, attempts)
        from runner_execution where attempts not between 0 and 3
        """,
    ),
    Law(
        "I8 nothing is recorded for a cancelled task",
        WRONG,
        """
        select format('cancelled task %s was executed', id) from runner_task
        where state = 5 and executed
        union all
        select format('execution %s has a result without a succeeded task', r.execution_id)
        from runner_result r where not exists (select from runner_task t
            where t.execution_id = r.execution_id and t.state = 3)
        union all
        select format('task %s has succeeded without a result', t.id)
        from runner_task t where t.state = 3 and not exists (select from runner_result r
            where r.execution_id = t.execution_id)
        """,
    ),
    Law(
        "I10 executed again only on request",
        DUPLICATED,
        f"""
        select format('execution %s was started again (token %s) after its outcome was recorded',
            e.id, a.token)
        from runner_execution e join runner_attempt a on a.execution_id = e.id
        where exists (select from runner_attempt r where r.execution_id = e.id
            and r.outcome = 'recorded' and r.token < a.token) and {_AGAIN} = 0
        """,
    ),
)


def violations() -> list[Violation]:
    """Return all violations; the site must be quiet."""
    found = []
    with connection.cursor() as cursor:
        for law in LAWS:
            cursor.execute(law.broken)
            found += [Violation(law.name, law.kind, text) for (text,) in cursor]
    return found
