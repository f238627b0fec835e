"""How the database finds runs and tasks among tens of thousands: by indexes, whoever asks."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import product
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.db import connection

from functions.read_models import RunFilter, batch_page, run_list, run_row, task_list, task_row
from functions.read_models.cursors import encode_cursor
from runner.models import Batch, Task
from runner.states import State
from tests.support import builders as make

pytestmark = pytest.mark.django_db
OF_TASKS = ("task", "execution", "result", "attempt", "event")
# 50 000 programs, nearly all of which have succeeded; a run of 1 000, and 4 900 of ten.
FILL = """
    insert into runner_topic (name, epoch, first_seq, head_seq)
    select 'function:' || n, 1, 1, 0 from generate_series(1000, 1499) n;
    insert into runner_execution (key, program, tag, priority, state)
    select sha256(n::text::bytea), '{}', '', 0,
           case when n % 5000 = 0 then 4 when n > 49900 then 0 else 3 end
    from generate_series(1, 50000) n;
    insert into runner_result (execution_id, verdict, message, module, trace, cases, log,
        truncated, loaded, cpu_us, wall_us, peak_bytes, attempt)
    select id, case when id % 10 = 0 then 'failed' else 'passed' end, '', '', '[]', '[]', '[]',
           false, true, 1000, 2000, 4096, 1
    from runner_execution where state = 3;
    insert into runner_attempt (execution_id, number, token, worker)
    select id, 1, 1, 'w' from runner_execution where state = 3;
    insert into runner_batch (topic_id, owner_id, cause, private, recorder, request_key,
        request_digest, state, all_tasks_loaded, last_turn, created_at, finished_at)
    select t.id, o.id, 'a test', n % 3 = 0, '', '', '', case when n > 4891 then 0 else 1 end, true,
           0, now() - make_interval(mins => 4901 - n), case when n <= 4891 then now() end
    from generate_series(1, 4901) n
    join (select id, row_number() over () as nth from runner_topic) t on t.nth = 1 + n % 400
    join (select id, row_number() over () as nth from auth_user) o on o.nth = 1 + n % 100
    order by n;
    insert into runner_task (batch_id, execution_id, state, executed, finished_at)
    select b.id, e.id, e.state, true, case when e.state <> 0 then now() end
    from (select *, row_number() over (order by id) as n from runner_execution) e
    join (select id, row_number() over (order by id) as n from runner_batch) b
      on b.n = case when e.n <= 1000 then 1 else 2 + (e.n - 1001) / 10 end
    order by e.n;
    analyze;
"""


@pytest.fixture
def many(db: None) -> User:
    """Fill the tables, and give one of the owners."""
    owners = [make.user() for _ in range(100)]
    with connection.cursor() as cursor:
        cursor.execute(FILL)
    return owners[7]


def sequential_scans(look: Callable[[], object], *tables: str) -> Iterator[str]:
    """Yield the plans of these queries that read one of these tables from end to end."""
    seen: list[tuple[str, Any]] = []

    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        seen.append((sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        look()
    for sql, params in seen:
        if not sql.lstrip().lower().startswith("select"):
            continue
        with connection.cursor() as cursor:
            cursor.execute(f"explain {sql}", params)
            plan = [line for (line,) in cursor.fetchall()]
        for line in plan:
            if any(f"Seq Scan on runner_{table} " in line for table in tables):
                yield "\n".join([sql[:200], *plan])


def test_no_list_of_runs_or_tasks_reads_all_of_them(many: User) -> None:
    lists_of_runs_read_no_table(many)
    lists_of_tasks_read_no_table(many)


def lists_of_runs_read_no_table(many: User) -> None:
    recently = datetime.now(UTC) - timedelta(hours=1)
    wishes: list[dict[str, Any]] = [
        {},
        *({"state": state} for state in ("open", "complete", "cancelled", "attention")),
        {"owner": many.username},
        {"owner": many.username, "state": "attention"},
        {"since": recently},
        {"since": datetime(2000, 1, 1, tzinfo=UTC)},
        {"since": recently, "owner": many.username, "state": "complete"},
        {"parent": Batch.objects.latest("pk").pk},
    ]
    middle = encode_cursor(Batch.objects.latest("pk").pk - 2000)
    for actor, wish, cursor in product((AnonymousUser(), many), wishes, ("", middle)):
        read = partial(run_list, actor, RunFilter(**wish), cursor=cursor)
        assert "\n".join(sequential_scans(read, "batch", *OF_TASKS)) == ""


def lists_of_tasks_read_no_table(many: User) -> None:
    large = Batch.objects.earliest("pk").pk
    small = Batch.objects.latest("pk").pk - 500
    task = Task.objects.filter(batch=small).earliest("pk").pk
    states = ("", *(str(state.label) for state in State))
    cursors = ("", encode_cursor(small, task))
    for actor in (AnonymousUser(), many):
        reads: list[Callable[[], object]] = [
            partial(run_row, large, actor),
            partial(batch_page, large, actor),
            partial(batch_page, small, actor),
            partial(task_list, actor, batch=large, verdict="failed"),
            partial(task_row, task, actor),
        ]
        reads += [
            partial(task_list, actor, state=state, batch=batch, cursor=cursor)
            for state, batch, cursor in product(states, (None, small, large), cursors)
        ]
        for read in reads:
            assert "\n".join(sequential_scans(read, *OF_TASKS)) == ""
