"""Adds webhooks and their deliveries."""

import django.contrib.postgres.fields
import django.contrib.postgres.functions
import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("functions", "0046_kept_answers"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Webhook",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("url", models.CharField(max_length=500)),
                ("host", models.CharField(max_length=255)),
                (
                    "subject",
                    models.CharField(
                        choices=[
                            ("function", "a function"),
                            ("person", "a person"),
                            ("dependencies", "everything that your published works use"),
                            ("canary", "a canary"),
                        ],
                        max_length=12,
                    ),
                ),
                (
                    "events",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=30),
                        blank=True,
                        default=list,
                        size=None,
                    ),
                ),
                ("secret", models.CharField(max_length=60)),
                ("former_secret", models.CharField(blank=True, default="", max_length=60)),
                ("rotated_at", models.DateTimeField(null=True)),
                ("active", models.BooleanField(default=True)),
                (
                    "switched_off",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("owner", "You switched it off."),
                            ("gone", "Its receiver answered that it is gone (410)."),
                            ("failing", "Every delivery has failed for five days."),
                        ],
                        default="",
                        max_length=8,
                    ),
                ),
                ("failing_since", models.DateTimeField(null=True)),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "function",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="functions.function",
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="webhooks",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="WebhookDelivery",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "uuid",
                    models.UUIDField(db_default=django.contrib.postgres.functions.RandomUUID()),
                ),
                ("host", models.CharField(max_length=255)),
                ("event", models.CharField(max_length=30)),
                ("key", models.CharField(max_length=120)),
                ("payload", models.JSONField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("pending", "Pending"),
                            ("delivered", "Delivered"),
                            ("failed", "Failed"),
                        ],
                        default="pending",
                        max_length=9,
                    ),
                ),
                ("attempts", models.SmallIntegerField(default=0)),
                (
                    "due_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                ("leased_until", models.DateTimeField(null=True)),
                ("status", models.SmallIntegerField(null=True)),
                ("answer", models.CharField(blank=True, default="", max_length=500)),
                ("error", models.CharField(blank=True, default="", max_length=300)),
                ("duration_ms", models.IntegerField(null=True)),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                ("ended_at", models.DateTimeField(null=True)),
                (
                    "actor",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "webhook",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deliveries",
                        to="functions.webhook",
                    ),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name="webhook",
            index=models.Index(fields=["owner", "-id"], name="webhook_of_owner"),
        ),
        migrations.AddIndex(
            model_name="webhook",
            index=models.Index(
                condition=models.Q(("active", True)),
                fields=["function", "id"],
                name="webhook_of_function",
            ),
        ),
        migrations.AddIndex(
            model_name="webhook",
            index=models.Index(
                condition=models.Q(("active", True)),
                fields=["person", "id"],
                name="webhook_of_person",
            ),
        ),
        migrations.AddIndex(
            model_name="webhook",
            index=models.Index(
                condition=models.Q(("active", True), ("subject", "dependencies")),
                fields=["owner", "id"],
                name="webhook_of_dependencies",
            ),
        ),
        migrations.AddConstraint(
            model_name="webhook",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("function__isnull", False), ("person", None), ("subject", "function")
                    ),
                    models.Q(("function", None), ("person__isnull", False), ("subject", "person")),
                    models.Q(
                        ("function", None),
                        ("person", None),
                        ("subject__in", ["dependencies", "canary"]),
                    ),
                    _connector="OR",
                ),
                name="webhook_of_one_subject",
            ),
        ),
        migrations.AddIndex(
            model_name="webhookdelivery",
            index=models.Index(fields=["webhook", "-id"], name="webhook_delivery_of_webhook"),
        ),
        migrations.AddIndex(
            model_name="webhookdelivery",
            index=models.Index(
                condition=models.Q(("state", "pending")),
                fields=["host", "due_at"],
                name="webhook_delivery_due",
            ),
        ),
        migrations.AddIndex(
            model_name="webhookdelivery",
            index=models.Index(
                condition=models.Q(("leased_until__isnull", False), ("state", "pending")),
                fields=["host"],
                name="webhook_delivery_leased",
            ),
        ),
        migrations.AddConstraint(
            model_name="webhookdelivery",
            constraint=models.UniqueConstraint(
                fields=("webhook", "key"), name="webhook_delivery_once"
            ),
        ),
    ]
