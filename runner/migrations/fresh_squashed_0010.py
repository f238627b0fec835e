"""Creates all tables of an empty database.

It replaces the first ten migrations. A database that has applied all of these continues from here.
"""

from collections.abc import Iterator

import django.db.models.deletion
import django.db.models.functions.comparison
import django.db.models.functions.datetime
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

# Copied from `runner.states` and `runner.models.semaphore`; tests compare them.
TASKS = (
    "(6,0), (6,1), (6,3), (6,5), "
    "(0,1), (0,3), (0,5), (1,0), (1,3), (1,2), (1,4), (1,5), (2,0), (2,1), (2,5)"
)
TRANSITIONS = {
    "runner_task": TASKS,
    "runner_execution": f"{TASKS}, (5,0), (4,0), (3,0), (2,3)",
    "runner_batch": "(0,1), (0,2)",
    "runner_ticket": "(0,1), (0,3), (1,2), (1,3)",
}
REFUSE = """
create function runner_refuse_transition() returns trigger language plpgsql as $$
begin
    raise exception '% % may not go from state % to %',
        tg_table_name, old.id, old.state, new.state using errcode = 'check_violation';
end $$
"""
# Tables with few live rows and very many dead ones, which are vacuumed after this many dead rows.
DEAD_ROWS = {
    "runner_execution": 20_000,
    "runner_task": 20_000,
    "runner_outboxevent": 20_000,
    "runner_followup": 1_000,
    "runner_topic": 1_000,
    "runner_ticket": 5_000,
    "runner_arrival": 1_000,
}
# Fill factors, in per cent, of tables whose rows are updated in place.
FILLED = {"runner_topic": 20, "runner_contribution": 80}
# Columns that no query filters by, and whose analysis took longest.
NOT_ANALYSED = {
    "runner_source": ("text",),
    "runner_execution": ("program",),
    "runner_result": ("message", "trace", "cases", "log", "value"),
    "runner_event": ("payload",),
    "runner_outboxevent": ("events",),
    "runner_attempt": ("error",),
}


def safeguards() -> Iterator[str]:
    """Yield SQL for triggers, vacuum settings, fill factors and statistics."""
    for table, transitions in TRANSITIONS.items():
        yield (
            f"create trigger {table}_transition before update of state on {table} for each row "
            f"when (old.state <> new.state and (old.state, new.state) not in ({transitions})) "
            "execute function runner_refuse_transition()"
        )
    for table, dead_rows in DEAD_ROWS.items():
        yield (
            f"alter table {table} set (autovacuum_vacuum_scale_factor = 0,"
            f" autovacuum_vacuum_threshold = {dead_rows})"
        )
    for table, per_cent in FILLED.items():
        yield f"alter table {table} set (fillfactor = {per_cent})"
    for table, columns in NOT_ANALYSED.items():
        changes = ", ".join(f"alter column {column} set statistics 0" for column in columns)
        yield f"alter table {table} {changes}"


class Migration(migrations.Migration):
    replaces = [
        ("runner", "0001_initial"),
        ("runner", "0002_safeguards"),
        ("runner", "0003_chains_and_loading"),
        ("runner", "0004_semaphores"),
        ("runner", "0005_pipelines"),
        ("runner", "0006_runs"),
        ("runner", "0007_dead_rows"),
        ("runner", "0008_result_token"),
        ("runner", "0009_fewer_writes"),
        ("runner", "0010_no_statistics_of_documents"),
    ]

    initial = True

    dependencies = [migrations.swappable_dependency(settings.AUTH_USER_MODEL)]

    operations = [
        migrations.CreateModel(
            name="Execution",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.BinaryField(max_length=32, unique=True)),
                ("program", models.JSONField()),
                ("tag", models.CharField(blank=True, default="", max_length=64)),
                (
                    "state",
                    models.SmallIntegerField(
                        choices=[
                            (0, "pending"),
                            (1, "in_progress"),
                            (2, "failed"),
                            (3, "succeeded"),
                            (4, "ignored"),
                            (5, "cancelled"),
                            (6, "waiting"),
                        ],
                        db_default=0,
                        default=0,
                    ),
                ),
                ("priority", models.SmallIntegerField(default=0)),
                ("vtime", models.BigIntegerField(db_default=0, default=0)),
                ("token", models.BigIntegerField(db_default=0, default=0)),
                ("attempts", models.SmallIntegerField(db_default=0, default=0)),
                ("alone", models.BooleanField(db_default=False, default=False)),
                ("leased_until", models.DateTimeField(null=True)),
                ("due_at", models.DateTimeField(null=True)),
                ("worker", models.CharField(blank=True, db_default="", default="", max_length=100)),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "used_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "claimed_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("state__in", (0, 2))),
                        fields=["priority", "vtime", "id"],
                        name="execution_ready",
                    ),
                    models.Index(
                        condition=models.Q(("state", 1)),
                        fields=["leased_until"],
                        name="execution_leased",
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("leased_until__isnull", False), ("state", 1)),
                            models.Q(
                                models.Q(("state", 1), _negated=True),
                                ("leased_until__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="execution_leased_iff_in_progress",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Attempt",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.SmallIntegerField()),
                ("token", models.BigIntegerField()),
                ("worker", models.CharField(max_length=100)),
                (
                    "outcome",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("", "running"),
                            ("recorded", "recorded"),
                            ("handed_back", "handed back"),
                            ("repeated", "repeated"),
                            ("failed", "failed"),
                            ("lost", "lost"),
                            ("cancelled", "cancelled"),
                        ],
                        db_default="",
                        default="",
                        max_length=12,
                    ),
                ),
                ("error", models.TextField(blank=True, db_default="", default="")),
                (
                    "started_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                ("ended_at", models.DateTimeField(null=True)),
                (
                    "execution",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tries",
                        to="runner.execution",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("execution", "token"), name="attempt_token")
                ],
            },
        ),
        migrations.CreateModel(
            name="Source",
            fields=[
                ("sha256", models.BinaryField(max_length=32, primary_key=True, serialize=False)),
                ("text", models.TextField()),
                (
                    "used_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Topic",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=100, unique=True)),
                ("epoch", models.IntegerField(default=1)),
                ("first_seq", models.BigIntegerField(default=1)),
                ("head_seq", models.BigIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name="Event",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("seq", models.BigIntegerField()),
                ("type", models.CharField(max_length=32)),
                ("payload", models.JSONField()),
                ("created_at", models.DateTimeField()),
                (
                    "topic",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        to="runner.topic",
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("topic", "seq"), name="event_seq")],
            },
        ),
        migrations.CreateModel(
            name="OutboxEvent",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "topic",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        to="runner.topic",
                    ),
                ),
                (
                    "xid",
                    models.BigIntegerField(
                        db_default=django.db.models.functions.comparison.Cast(
                            django.db.models.functions.comparison.Cast(
                                models.Func(function="pg_current_xact_id"), models.TextField()
                            ),
                            models.BigIntegerField(),
                        )
                    ),
                ),
                ("events", models.JSONField()),
            ],
            options={
                "indexes": [models.Index(fields=["topic", "xid"], name="outbox_of_topic")],
            },
        ),
        migrations.CreateModel(
            name="Batch",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("cause", models.CharField(max_length=100)),
                ("private", models.BooleanField(default=False)),
                ("recorder", models.CharField(blank=True, default="", max_length=100)),
                ("request_key", models.CharField(blank=True, default="", max_length=100)),
                ("request_digest", models.BinaryField(default=b"", max_length=32)),
                (
                    "state",
                    models.SmallIntegerField(
                        choices=[(0, "open"), (1, "complete"), (2, "cancelled")], default=0
                    ),
                ),
                ("all_tasks_loaded", models.BooleanField(default=False)),
                ("last_turn", models.BigIntegerField(default=0)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("finished_at", models.DateTimeField(null=True)),
                (
                    "owner",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "parent",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="children",
                        to="runner.batch",
                    ),
                ),
                (
                    "topic",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="batches",
                        to="runner.topic",
                    ),
                ),
                ("is_cut_short", models.BooleanField(db_default=False, default=False)),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("state", 0)), fields=["topic"], name="batch_open"
                    ),
                    models.Index(
                        condition=models.Q(("state", 0)),
                        fields=["owner"],
                        name="batch_open_of_owner",
                    ),
                    models.Index(fields=["topic", "-id"], name="batch_recent"),
                    models.Index(
                        condition=models.Q(("finished_at__isnull", False)),
                        fields=["finished_at"],
                        name="batch_finished",
                    ),
                    models.Index(fields=["owner", "-id"], name="batch_of_owner"),
                    models.Index(
                        condition=models.Q(("state", 1), _negated=True),
                        fields=["state", "-id"],
                        name="batch_not_complete",
                    ),
                    models.Index(fields=["created_at"], name="batch_created"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("request_key", ""), _negated=True),
                        fields=("owner", "request_key"),
                        name="batch_request_once",
                        nulls_distinct=False,
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("finished_at__isnull", True), ("state", 0)),
                            models.Q(
                                models.Q(("state", 0), _negated=True),
                                ("finished_at__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="batch_finished_iff_not_open",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Task",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "state",
                    models.SmallIntegerField(
                        choices=[
                            (0, "pending"),
                            (1, "in_progress"),
                            (2, "failed"),
                            (3, "succeeded"),
                            (4, "ignored"),
                            (5, "cancelled"),
                            (6, "waiting"),
                        ],
                        default=0,
                    ),
                ),
                ("executed", models.BooleanField(default=False)),
                ("finished_at", models.DateTimeField(null=True)),
                (
                    "batch",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tasks",
                        to="runner.batch",
                    ),
                ),
                (
                    "execution",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="tasks",
                        to="runner.execution",
                    ),
                ),
                (
                    "predecessor",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="successors",
                        to="runner.task",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("predecessor__isnull", False)),
                        fields=["predecessor"],
                        name="task_successors",
                    ),
                    models.Index(fields=["-batch", "id"], name="task_in_turn"),
                    models.Index(
                        condition=models.Q(("state", 3), _negated=True),
                        fields=["state", "-batch", "id"],
                        name="task_not_succeeded",
                    ),
                    models.Index(
                        condition=models.Q(("state__in", (0, 1, 2, 6))),
                        fields=["batch", "id"],
                        name="task_open_in_turn",
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("finished_at__isnull", False), ("state__in", (3, 4, 5))),
                            models.Q(("finished_at__isnull", True), ("state__in", (0, 1, 2, 6))),
                            _connector="OR",
                        ),
                        name="task_finished_iff_final",
                    ),
                    models.UniqueConstraint(
                        fields=("execution", "batch"), name="task_of_execution"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Result",
            fields=[
                (
                    "execution",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="result",
                        serialize=False,
                        to="runner.execution",
                    ),
                ),
                ("verdict", models.CharField(max_length=16)),
                ("message", models.TextField(blank=True, default="")),
                ("module", models.CharField(blank=True, default="", max_length=100)),
                ("line", models.IntegerField(null=True)),
                ("trace", models.JSONField(default=list)),
                ("cases", models.JSONField(default=list)),
                ("log", models.JSONField(default=list)),
                ("truncated", models.BooleanField(default=False)),
                ("loaded", models.BooleanField(default=False)),
                ("value", models.JSONField(null=True)),
                ("cpu_us", models.BigIntegerField()),
                ("wall_us", models.BigIntegerField()),
                ("peak_bytes", models.BigIntegerField()),
                ("attempt", models.SmallIntegerField(default=1)),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                ("token", models.BigIntegerField(db_default=0)),
            ],
        ),
        migrations.CreateModel(
            name="FanOut",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=100, unique=True)),
                ("source", models.CharField(max_length=100)),
                ("step", models.CharField(max_length=100)),
                ("arguments", models.JSONField(default=dict)),
                ("terms", models.JSONField(default=dict)),
                ("page", models.IntegerField()),
                ("generation", models.BigIntegerField(default=1)),
                ("number", models.BigIntegerField(default=0)),
                ("cursor", models.JSONField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "batch",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="fan_outs",
                        to="runner.batch",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Chore",
            fields=[
                ("name", models.CharField(max_length=50, primary_key=True, serialize=False)),
                ("ran_at", models.DateTimeField()),
                ("cursor", models.BigIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name="Incident",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("kind", models.CharField(max_length=50)),
                ("detail", models.TextField()),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["kind", "created_at"], name="incident_kind")],
            },
        ),
        migrations.CreateModel(
            name="Ticket",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=100, unique=True)),
                ("key", models.CharField(max_length=100)),
                ("capacity", models.IntegerField()),
                ("holder", models.CharField(max_length=100)),
                (
                    "state",
                    models.SmallIntegerField(
                        choices=[(0, "waiting"), (1, "held"), (2, "returned"), (3, "lost")]
                    ),
                ),
                (
                    "under",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="runner.ticket",
                    ),
                ),
                ("leased_until", models.DateTimeField(null=True)),
                ("reported_at", models.DateTimeField(null=True)),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                ("ended_at", models.DateTimeField(null=True)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("leased_until__isnull", True), ("state", 1), _connector="OR"
                        ),
                        name="ticket_leased_only_while_held",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("ended_at__isnull", True), ("state__in", (0, 1))),
                            models.Q(("ended_at__isnull", False), ("state__in", (2, 3))),
                            _connector="OR",
                        ),
                        name="ticket_ended_iff_over",
                    ),
                ],
                "indexes": [
                    models.Index(
                        condition=models.Q(("state__in", (0, 1))),
                        fields=["key", "state", "id"],
                        name="ticket_queue",
                    ),
                    models.Index(
                        condition=models.Q(("state__in", (0, 1))),
                        fields=["holder"],
                        name="ticket_of_holder",
                    ),
                    models.Index(
                        condition=models.Q(("under__isnull", False)),
                        fields=["under"],
                        name="ticket_under",
                    ),
                    models.Index(
                        condition=models.Q(("state__in", (2, 3))),
                        fields=["ended_at"],
                        name="ticket_over",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="FollowUp",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=100)),
                ("target", models.CharField(max_length=100)),
                ("arguments", models.JSONField(default=dict)),
                ("attempts", models.SmallIntegerField(default=0)),
                ("error", models.TextField(blank=True, default="")),
                (
                    "due_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), null=True
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "batch",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="follow_ups",
                        to="runner.batch",
                    ),
                ),
                (
                    "ticket",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="follow_ups",
                        to="runner.ticket",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["due_at", "id"], name="follow_up_due"),
                    models.Index(fields=["name", "target"], name="follow_up_target"),
                    models.Index(
                        condition=models.Q(("ticket__isnull", False)),
                        fields=["ticket"],
                        name="follow_up_ticket",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Arrival",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("view", models.CharField(max_length=40)),
                ("target", models.BigIntegerField()),
                ("source", models.BigIntegerField()),
                ("sequence", models.BigIntegerField()),
                ("value", models.BigIntegerField()),
                ("difference", models.BigIntegerField(db_default=0, default=0)),
                (
                    "arrived_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["view", "target"], name="arrival_target")],
            },
        ),
        migrations.CreateModel(
            name="Contribution",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "view",
                        "source",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("view", models.CharField(max_length=40)),
                ("source", models.BigIntegerField()),
                ("sequence", models.BigIntegerField()),
                ("target", models.BigIntegerField()),
                ("value", models.BigIntegerField()),
            ],
            options={
                "indexes": [models.Index(fields=["view", "target"], name="contribution_target")],
            },
        ),
        migrations.RunSQL(REFUSE, "drop function runner_refuse_transition() cascade"),
        *(migrations.RunSQL(statement, migrations.RunSQL.noop) for statement in safeguards()),
    ]
