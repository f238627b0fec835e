from django.db import migrations, models
from django.db.models.functions import Now

# As in 0002: of the arrivals only those of the last moments live. The rows of what is counted
# are written again and again, which is cheap while there is room on their page.
STORAGE = """
alter table runner_arrival set
    (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
alter table runner_contribution set (fillfactor = 80);
"""
DEFAULT_STORAGE = """
alter table runner_contribution reset (fillfactor);
alter table runner_arrival reset
    (autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold);
"""


class Migration(migrations.Migration):
    dependencies = [("runner", "0004_semaphores")]

    operations = [
        migrations.CreateModel(
            name="Arrival",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("view", models.CharField(max_length=40)),
                ("target", models.BigIntegerField()),
                ("source", models.BigIntegerField()),
                ("sequence", models.BigIntegerField()),
                ("value", models.BigIntegerField()),
                ("difference", models.BigIntegerField(db_default=0, default=0)),
                ("arrived_at", models.DateTimeField(db_default=Now())),
            ],
            options={
                "indexes": [models.Index(fields=["view", "target"], name="arrival_target")],
            },
        ),
        migrations.CreateModel(
            name="Contribution",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "view",
                        "source",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("view", models.CharField(max_length=40)),
                ("source", models.BigIntegerField()),
                ("sequence", models.BigIntegerField()),
                ("target", models.BigIntegerField()),
                ("value", models.BigIntegerField()),
            ],
            options={
                "indexes": [models.Index(fields=["view", "target"], name="contribution_target")],
            },
        ),
        migrations.RunSQL(STORAGE, DEFAULT_STORAGE),
    ]
