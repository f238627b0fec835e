"""What the tables hold by themselves: transitions of states, and vacuuming by count.

A table of which a few rows live while millions come and go is vacuumed after so many dead rows,
not after a share of its size; otherwise each look at it walks past the dead.
"""

from django.db import migrations

# As in `runner.states` when this was written; a test compares the two.
TASK_TRANSITIONS = "(0,1), (0,3), (0,5), (1,0), (1,3), (1,2), (1,4), (1,5), (2,0), (2,1), (2,5)"
EXECUTION_TRANSITIONS = f"{TASK_TRANSITIONS}, (5,0), (4,0)"
BATCH_TRANSITIONS = "(0,1), (0,2)"

REFUSE = """
create function runner_refuse_transition() returns trigger language plpgsql as $$
begin
    raise exception '% % may not go from state % to %',
        tg_table_name, old.id, old.state, new.state using errcode = 'check_violation';
end $$
"""
DEAD_ROWS = {
    "runner_execution": 20_000,
    "runner_task": 20_000,
    "runner_outboxevent": 20_000,
    "runner_followup": 1_000,
    "runner_topic": 1_000,
}


def refusing(table: str, transitions: str) -> migrations.RunSQL:
    return migrations.RunSQL(
        f"create trigger {table}_transition before update of state on {table} for each row "
        f"when (old.state <> new.state and (old.state, new.state) not in ({transitions})) "
        "execute function runner_refuse_transition()",
        f"drop trigger {table}_transition on {table}",
    )


def vacuuming(table: str, dead_rows: int) -> migrations.RunSQL:
    return migrations.RunSQL(
        f"alter table {table} set (autovacuum_vacuum_scale_factor = 0,"
        f" autovacuum_vacuum_threshold = {dead_rows})",
        f"alter table {table} reset (autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold)",
    )


class Migration(migrations.Migration):
    dependencies = [("runner", "0001_initial")]

    operations = [
        migrations.RunSQL(REFUSE, "drop function runner_refuse_transition()"),
        refusing("runner_task", TASK_TRANSITIONS),
        refusing("runner_execution", EXECUTION_TRANSITIONS),
        refusing("runner_batch", BATCH_TRANSITIONS),
        *(vacuuming(table, dead_rows) for table, dead_rows in DEAD_ROWS.items()),
        # A topic's row is updated with each numbering: room on its page keeps that cheap.
        migrations.RunSQL(
            "alter table runner_topic set (fillfactor = 20)",
            "alter table runner_topic reset (fillfactor)",
        ),
    ]
