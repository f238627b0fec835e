"""Tasks that wait for others, walks through many items, owners' shares, and upkeep."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models.functions import Now

STATES = [
    (0, "pending"),
    (1, "in_progress"),
    (2, "failed"),
    (3, "succeeded"),
    (4, "ignored"),
    (5, "cancelled"),
    (6, "waiting"),
]
OPEN = models.Q(state__in=(0, 1, 2, 6))

# As in `runner.states` when this was written; a test compares the two.
TASK_TRANSITIONS = (
    "(6,0), (6,1), (6,3), (6,5), "
    "(0,1), (0,3), (0,5), (1,0), (1,3), (1,2), (1,4), (1,5), (2,0), (2,1), (2,5)"
)
EXECUTION_TRANSITIONS = f"{TASK_TRANSITIONS}, (5,0), (4,0), (3,0), (2,3)"
FORMER_TASK_TRANSITIONS = (
    "(0,1), (0,3), (0,5), (1,0), (1,3), (1,2), (1,4), (1,5), (2,0), (2,1), (2,5)"
)
FORMER_EXECUTION_TRANSITIONS = f"{FORMER_TASK_TRANSITIONS}, (5,0), (4,0)"


def refuse_others(table: str, transitions: str) -> str:
    return (
        f"drop trigger {table}_transition on {table}; "
        f"create trigger {table}_transition before update of state on {table} for each row "
        f"when (old.state <> new.state and (old.state, new.state) not in ({transitions})) "
        "execute function runner_refuse_transition()"
    )


def refusing(table: str, transitions: str, former: str) -> migrations.RunSQL:
    return migrations.RunSQL(refuse_others(table, transitions), refuse_others(table, former))


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("runner", "0002_safeguards"),
    ]

    operations = [
        migrations.RemoveConstraint("task", "task_finished_iff_final"),
        migrations.RemoveIndex("task", "task_open_of_batch"),
        migrations.RemoveIndex("task", "task_waiting"),
        migrations.AlterField(
            "execution",
            "state",
            models.SmallIntegerField(choices=STATES, db_default=0, default=0),
        ),
        migrations.AlterField("task", "state", models.SmallIntegerField(choices=STATES, default=0)),
        migrations.AddIndex(
            "task", models.Index(condition=OPEN, fields=["batch"], name="task_open_of_batch")
        ),
        migrations.AddIndex(
            "task", models.Index(condition=OPEN, fields=["execution"], name="task_waiting")
        ),
        migrations.AddConstraint(
            "task",
            models.CheckConstraint(
                condition=models.Q(finished_at__isnull=False, state__in=(3, 4, 5))
                | (models.Q(finished_at__isnull=True) & OPEN),
                name="task_finished_iff_final",
            ),
        ),
        refusing("runner_task", TASK_TRANSITIONS, FORMER_TASK_TRANSITIONS),
        refusing("runner_execution", EXECUTION_TRANSITIONS, FORMER_EXECUTION_TRANSITIONS),
        migrations.AddField(
            "execution",
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
        migrations.AddField("execution", "used_at", models.DateTimeField(db_default=Now())),
        migrations.AddField("source", "used_at", models.DateTimeField(db_default=Now())),
        migrations.AddField(
            "batch", "is_cut_short", models.BooleanField(db_default=False, default=False)
        ),
        migrations.AddIndex(
            "batch",
            models.Index(
                condition=models.Q(finished_at__isnull=False),
                fields=["finished_at"],
                name="batch_finished",
            ),
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
                ("created_at", models.DateTimeField(db_default=Now())),
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
                ("created_at", models.DateTimeField(db_default=Now())),
            ],
        ),
        migrations.AddIndex(
            "incident", models.Index(fields=["kind", "created_at"], name="incident_kind")
        ),
    ]
