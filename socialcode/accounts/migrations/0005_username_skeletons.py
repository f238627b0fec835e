"""Adds the skeletons of all user names; of users with the same one, the oldest claims it."""

from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from socialcode.accounts.names.skeletons import skeleton_of

AT_ONCE = 1_000


def claim_for_all(apps: Any, _: Any) -> None:
    users = apps.get_model("auth", "User").objects.order_by("pk").values_list("pk", "username")
    model = apps.get_model("accounts", "UsernameSkeleton")
    rows = (model(user_id=pk, skeleton=skeleton_of(name)) for pk, name in users.iterator())
    model.objects.bulk_create(rows, batch_size=AT_ONCE, ignore_conflicts=True)


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("accounts", "0004_one_index_of_names"),
    ]

    operations = [
        migrations.CreateModel(
            name="UsernameSkeleton",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("skeleton", models.CharField(max_length=600, unique=True)),
            ],
        ),
        migrations.RunPython(claim_for_all, migrations.RunPython.noop),
    ]
