"""Indexes for lists of runs and tasks: each page is found without reading what it does not show."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("runner", "0005_pipelines"),
    ]

    operations = [
        migrations.AddIndex("task", models.Index(name="task_in_turn", fields=["-batch", "id"])),
        migrations.AddIndex(
            "task",
            models.Index(
                name="task_not_succeeded",
                fields=["state", "-batch", "id"],
                condition=~Q(state=3),
            ),
        ),
        migrations.AddIndex("batch", models.Index(name="batch_of_owner", fields=["owner", "-id"])),
        migrations.AddIndex(
            "batch",
            models.Index(name="batch_not_complete", fields=["state", "-id"], condition=~Q(state=1)),
        ),
        migrations.AddIndex("batch", models.Index(name="batch_created", fields=["created_at"])),
        # The owner's own index covers it.
        migrations.AlterField(
            "batch",
            "owner",
            models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
    ]
