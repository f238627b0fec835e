from typing import Any

import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.utils.timezone
from django.db import migrations, models
from django.db.models import OuterRef, Subquery

from functions.markers import find_markers


def fill_names(apps: Any, schema_editor: Any) -> None:  # noqa: ARG001
    """Keep of each published acceptance test what its code marks."""
    tests = apps.get_model("functions", "AcceptanceTest")
    for test in tests.objects.exclude(state="draft"):
        test.names = sorted(find_markers(test.code).first_by_key())
        test.save(update_fields=["names"])


def fill_revisions(apps: Any, schema_editor: Any) -> None:  # noqa: ARG001
    """Say of the revisions that there are what their functions are called."""
    functions = apps.get_model("functions", "Function").objects.filter(pk=OuterRef("function"))
    apps.get_model("functions", "FunctionRevision").objects.update(
        name=Subquery(functions.values("name"))
    )


class Migration(migrations.Migration):
    dependencies = [("functions", "0014_acts_in_the_log")]

    operations = [
        migrations.CreateModel(
            name="Runtime",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("version", models.CharField(max_length=40)),
                ("seen_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("walked_at", models.DateTimeField(null=True)),
            ],
        ),
        migrations.AddField(
            model_name="cell",
            name="carried",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name="acceptancetest",
            name="names",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.TextField(), db_default=[], default=list, size=None
            ),
        ),
        migrations.AddField(
            model_name="acceptancetest",
            name="version",
            field=models.IntegerField(db_default=1, default=1),
        ),
        migrations.AddField(
            model_name="functionrevision",
            name="name",
            field=models.CharField(default="", max_length=80),
            preserve_default=False,
        ),
        migrations.RunPython(fill_names, migrations.RunPython.noop),
        migrations.RunPython(fill_revisions, migrations.RunPython.noop),
        migrations.AddIndex(
            model_name="acceptancetest",
            index=django.contrib.postgres.indexes.GinIndex(
                fields=["names"], name="acceptance_marking"
            ),
        ),
    ]
