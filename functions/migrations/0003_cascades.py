import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("functions", "0002_votes"),
        ("runner", "0003_chains_and_loading"),
    ]

    operations = [
        migrations.CreateModel(
            name="Level",
            fields=[
                (
                    "batch",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="level",
                        serialize=False,
                        to="runner.batch",
                    ),
                ),
                ("number", models.IntegerField()),
                (
                    "root",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="levels",
                        to="runner.batch",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["root", "-number"], name="level_of_root")],
            },
        ),
        migrations.CreateModel(
            name="Supersession",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("tasks", models.IntegerField()),
                ("cause", models.CharField(max_length=200)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "batch",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="supersessions",
                        to="runner.batch",
                    ),
                ),
                (
                    "successor",
                    models.ForeignKey(
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="runner.batch",
                    ),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name="cell",
            index=models.Index(
                condition=models.Q(("result_key", models.F("key")), _negated=True),
                fields=["result_key"],
                name="cell_by_older_result",
            ),
        ),
    ]
