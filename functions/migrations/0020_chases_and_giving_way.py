from typing import Any

import django.contrib.postgres.fields
import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

AT_ONCE = 1_000


def look_at_proposals(apps: Any, schema_editor: Any) -> None:  # noqa: ARG001
    """Have those looked at that wait for others: some have been hindered by a newer candidate."""
    functions = apps.get_model("functions", "Function")
    follow_ups = apps.get_model("runner", "FollowUp")
    found = functions.objects.filter(deleted_at=None, elected=None).exclude(proposed=None)
    arguments = {"cause": "circles are tried with other candidates now", "depth": 0, "by": []}
    follow_ups.objects.bulk_create(
        (
            follow_ups(name="functions.settle", target=str(pk), arguments=arguments)
            for pk in found.order_by("pk").values_list("pk", flat=True)
        ),
        batch_size=AT_ONCE,
    )


class Migration(migrations.Migration):
    dependencies = [
        ("functions", "fresh_squashed_0019"),
    ]

    operations = [
        migrations.CreateModel(
            name="Chase",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "names",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=80), size=None
                    ),
                ),
                (
                    "tests",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(), size=None
                    ),
                ),
                ("bases", models.JSONField()),
                ("began", models.BigIntegerField()),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
        ),
        migrations.AddField(
            model_name="election",
            name="basis",
            field=models.BinaryField(db_default=b"", default=b"", max_length=32),
        ),
        migrations.AddField(
            model_name="election",
            name="began",
            field=models.BigIntegerField(null=True),
        ),
        migrations.AddField(
            model_name="election",
            name="caused_by",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.BigIntegerField(),
                blank=True,
                db_default=[],
                default=list,
                size=None,
            ),
        ),
        migrations.AddField(
            model_name="election",
            name="unsettled",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name="function",
            name="due_changes",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.BigIntegerField(),
                blank=True,
                db_default=[],
                default=list,
                size=None,
            ),
        ),
        migrations.AddField(
            model_name="function",
            name="gave_way",
            field=models.JSONField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="function",
            name="chase",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="functions",
                to="functions.chase",
            ),
        ),
        migrations.RunPython(look_at_proposals, migrations.RunPython.noop),
    ]
