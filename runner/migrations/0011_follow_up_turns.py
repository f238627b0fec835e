"""Adds fair queueing of follow-ups among owners: owner and virtual time of each, and a clock.

Follow-ups that are waiting already have no owner and are run first.
"""

from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import Q


def owner() -> Any:
    return models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=django.db.models.deletion.SET_NULL,
        null=True,
        related_name="+",
        db_index=False,
        db_constraint=False,
    )


class Migration(migrations.Migration):
    dependencies = [
        ("runner", "fresh_squashed_0010"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField("followup", "owner", owner()),
        migrations.AddField("followup", "vtime", models.BigIntegerField(default=0, db_default=0)),
        migrations.AddIndex(
            "followup",
            models.Index(
                name="follow_up_turn", fields=["vtime", "id"], condition=Q(due_at__isnull=False)
            ),
        ),
        migrations.AddIndex(
            "followup",
            models.Index(
                name="follow_up_of_owner",
                fields=["owner", "vtime"],
                condition=Q(due_at__isnull=False),
            ),
        ),
        migrations.AddField("fanout", "owner", owner()),
        migrations.AddField("ticket", "owner", owner()),
        migrations.RunSQL(
            "create sequence runner_followup_clock", "drop sequence runner_followup_clock"
        ),
    ]
