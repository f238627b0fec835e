from typing import Any

import django.db.models.deletion
from django.db import migrations, models

AT_ONCE = 1_000
# What would count, if it works, counted before there were challenges, and goes on to. Of the rest
# the owner's, and what is older than the function's first election, are no challenges either.
KEEP_STANDING = """
update functions_test as t
set standing_since = now(), standing_cause = case
    when coalesce(t.acceptable, t.score >= 0) then 'upgrade'
    when t.author_id = f.owner_id then 'owner'
    else 'early' end
from functions_function as f
where f.id = t.function_id and t.state <> 'draft' and (
    coalesce(t.acceptable, t.score >= 0)
    or t.author_id = f.owner_id
    or not exists (
        select from functions_election as e
        where e.function_id = f.id and e.created_at < t.published_at
    )
)
"""


def keep_standing(apps: Any, schema_editor: Any) -> None:
    """Record what gives each test standing, and have the functions of challenges looked at."""
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(KEEP_STANDING)
    tests = apps.get_model("functions", "Test")
    follow_ups = apps.get_model("runner", "FollowUp")
    challenges = tests.objects.filter(
        function__deleted_at=None, state="published", standing_cause=""
    )
    follow_ups.objects.bulk_create(
        (
            follow_ups(
                name="functions.settle",
                target=str(pk),
                arguments={
                    "cause": "a stranger's later test is a challenge",
                    "depth": 0,
                    "by": [],
                    "actor": None,
                },
            )
            for pk in sorted(set(challenges.values_list("function", flat=True)))
        ),
        batch_size=AT_ONCE,
    )


class Migration(migrations.Migration):
    dependencies = [
        ("functions", "0020_chases_and_giving_way"),
        ("runner", "0008_result_token"),
    ]

    operations = [
        migrations.AddField(
            model_name="test",
            name="proven_by",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="functions.implementation",
            ),
        ),
        migrations.AddField(
            model_name="test",
            name="proven_uses",
            field=models.BinaryField(db_default=b"", default=b"", max_length=32),
        ),
        migrations.AddField(
            model_name="test",
            name="standing_cause",
            field=models.CharField(
                blank=True,
                choices=[
                    ("", "a challenge"),
                    ("owner", "written by the owner"),
                    ("early", "published before the first election"),
                    ("accepted", "accepted by the owner"),
                    ("voted", "voted to +1"),
                    ("passed", "passed by the current implementation"),
                    ("upgrade", "counted before there were challenges"),
                ],
                db_default="",
                default="",
                max_length=10,
            ),
        ),
        migrations.AddField(
            model_name="test",
            name="standing_since",
            field=models.DateTimeField(null=True),
        ),
        migrations.AlterField(
            model_name="notice",
            name="kind",
            field=models.CharField(
                choices=[
                    ("failing_test", "a test that one's implementation fails"),
                    ("broken_dependency", "a dependency that broke"),
                    ("acceptance_failed", "an acceptance test that failed"),
                    ("comment", "a comment"),
                    ("current_changed", "another current implementation"),
                    ("challenge", "a challenge that the current implementation does not pass"),
                    ("unsettled", "elections that chase each other"),
                ],
                max_length=20,
            ),
        ),
        migrations.RunPython(keep_standing, migrations.RunPython.noop),
    ]
