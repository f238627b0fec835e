"""Lets users have several skeletons: of their present name, and of former ones."""

from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from socialcode.accounts.names.skeletons import skeleton_of

FORWARDS = """
    alter table accounts_usernameskeleton
        drop constraint accounts_usernameskeleton_pkey,
        drop constraint accounts_usernameskeleton_skeleton_key,
        add constraint accounts_usernameskeleton_pkey primary key (skeleton);
    create index username_skeleton_of_user on accounts_usernameskeleton (user_id);
"""
BACKWARDS = """
    drop index username_skeleton_of_user;
    alter table accounts_usernameskeleton
        drop constraint accounts_usernameskeleton_pkey,
        add constraint accounts_usernameskeleton_pkey primary key (user_id),
        add constraint accounts_usernameskeleton_skeleton_key unique (skeleton);
"""


def keep_one_each(apps: Any, _: Any) -> None:
    """Remove the skeletons of former names, which anybody can take again then."""
    model = apps.get_model("accounts", "UsernameSkeleton")
    several = model.objects.values("user").annotate(count=models.Count("pk")).filter(count__gt=1)
    users = apps.get_model("auth", "User").objects.filter(pk__in=several.values("user"))
    for pk, name in users.values_list("pk", "username"):
        own = model.objects.filter(user=pk)
        kept = own.filter(skeleton=skeleton_of(name)).first() or own.first()
        own.exclude(skeleton=kept.skeleton).delete()


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0010_session_origins"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunSQL(FORWARDS, BACKWARDS)],
            state_operations=[
                migrations.AlterField(
                    model_name="usernameskeleton",
                    name="user",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AlterField(
                    model_name="usernameskeleton",
                    name="skeleton",
                    field=models.CharField(max_length=600, primary_key=True, serialize=False),
                ),
            ],
        ),
        # Last, so that on the way back it comes first.
        migrations.RunPython(migrations.RunPython.noop, keep_one_each),
    ]
