"""Moves sessions to a table that stores their user; all stay signed in."""

from typing import Any

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.db import migrations, models

AT_ONCE = 1_000


def bring_over(apps: Any, _editor: Any) -> None:
    former = apps.get_model("sessions", "Session").objects
    own = apps.get_model("accounts", "Session")
    decode = SessionStore().decode
    own.objects.bulk_create(
        (
            own(
                session_key=row.session_key,
                session_data=row.session_data,
                expire_date=row.expire_date,
                user_id=decode(row.session_data).get(SESSION_KEY),
            )
            for row in former.iterator()
        ),
        batch_size=AT_ONCE,
    )
    former.all().delete()


class Migration(migrations.Migration):
    dependencies = [
        ("sessions", "0001_initial"),
        ("accounts", "0002_suspensions"),
    ]

    operations = [
        migrations.CreateModel(
            name="Session",
            fields=[
                (
                    "session_key",
                    models.CharField(
                        max_length=40,
                        primary_key=True,
                        serialize=False,
                        verbose_name="session key",
                    ),
                ),
                ("session_data", models.TextField(verbose_name="session data")),
                ("expire_date", models.DateTimeField(db_index=True, verbose_name="expire date")),
                ("user_id", models.BigIntegerField(null=True)),
            ],
            options={
                "verbose_name": "session",
                "verbose_name_plural": "sessions",
                "abstract": False,
                "indexes": [
                    # ending the sessions of a suspended user
                    models.Index(
                        condition=models.Q(("user_id", None), _negated=True),
                        fields=["user_id"],
                        name="session_of_user",
                    )
                ],
            },
        ),
        migrations.RunPython(bring_over, migrations.RunPython.noop),
    ]
