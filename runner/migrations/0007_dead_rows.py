"""Dead rows stay while a session holds an old snapshot: nobody walks past them any more."""

from typing import Any

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q
from django.db.models.functions import Cast


def _topic() -> models.ForeignKey[Any, Any]:
    return models.ForeignKey(
        db_constraint=False,
        db_index=False,
        on_delete=django.db.models.deletion.CASCADE,
        to="runner.topic",
    )


class Migration(migrations.Migration):
    dependencies = [("runner", "0006_runs")]

    operations = [
        migrations.RemoveIndex("outboxevent", "outbox_of_topic"),
        migrations.RemoveIndex("task", "task_open_of_batch"),
        migrations.AddField(
            "outboxevent",
            "xid",
            models.BigIntegerField(
                db_default=Cast(
                    Cast(models.Func(function="pg_current_xact_id"), models.TextField()),
                    models.BigIntegerField(),
                )
            ),
        ),
        migrations.AlterField("event", "topic", _topic()),
        migrations.AlterField("outboxevent", "topic", _topic()),
        migrations.AddIndex(
            "outboxevent", models.Index(fields=["topic", "xid"], name="outbox_of_topic")
        ),
        migrations.AddIndex(
            "task",
            models.Index(
                name="task_open_in_turn",
                fields=["batch", "id"],
                condition=Q(state__in=(0, 1, 2, 6)),
            ),
        ),
    ]
