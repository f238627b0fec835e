"""Fewer rows and index entries are written for each task."""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models.functions import Now

GATHER = (
    "update runner_outboxevent set events = jsonb_build_array(jsonb_build_array(type, payload))"
)


class Migration(migrations.Migration):
    dependencies = [("runner", "0008_result_token")]

    operations = [
        # Attempts that end soon are inserted once, when they have ended.
        migrations.AddField("execution", "claimed_at", models.DateTimeField(db_default=Now())),
        # Events of one transaction and topic share a row until they are numbered.
        migrations.AddField(
            "outboxevent", "events", models.JSONField(default=list), preserve_default=False
        ),
        migrations.RunSQL(GATHER, migrations.RunSQL.noop),
        migrations.RemoveField("outboxevent", "type"),
        migrations.RemoveField("outboxevent", "payload"),
        # One index for what three were for: recording (the tasks of an execution), retention, and
        # that a program is in a batch once.
        migrations.AddConstraint(
            "task",
            models.UniqueConstraint(fields=("execution", "batch"), name="task_of_execution"),
        ),
        migrations.RemoveConstraint("task", "task_once_in_batch"),
        migrations.RemoveIndex("task", "task_waiting"),
        migrations.AlterField(
            "task",
            "execution",
            models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="tasks",
                to="runner.execution",
            ),
        ),
    ]
