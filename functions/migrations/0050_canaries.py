"""Adds canaries: outside projects with the releases that they have locked."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("functions", "0049_agent_votes"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Canary",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=80)),
                ("version", models.IntegerField(default=1)),
                ("sequence", models.IntegerField(default=0)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("locked_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("told_at", models.DateTimeField(null=True)),
                (
                    "owner",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="canaries",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "webhook",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="canary",
                        to="functions.webhook",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="LockedRelease",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name_key", models.CharField(max_length=80)),
                ("told_number", models.IntegerField(default=0)),
                ("told_yanked", models.CharField(blank=True, default="", max_length=10)),
                ("told_cause", models.CharField(blank=True, default="", max_length=32)),
                (
                    "canary",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="locked",
                        to="functions.canary",
                    ),
                ),
                (
                    "release",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="functions.release",
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="canary",
            constraint=models.UniqueConstraint(fields=("owner", "name"), name="canary_name_once"),
        ),
        migrations.AddIndex(
            model_name="lockedrelease",
            index=models.Index(fields=["name_key", "canary"], name="locked_by_name"),
        ),
        migrations.AddConstraint(
            model_name="lockedrelease",
            constraint=models.UniqueConstraint(fields=("canary", "name_key"), name="locked_once"),
        ),
    ]
