from typing import Any

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

SHOWN = models.Q(
    ("parent", None), models.Q(("deleted_at", None), ("replies__gt", 0), _connector="OR")
)

# A vote that is deleted, with its voter say, is one that says 0 from then on.
DELETED = """
create or replace function functions_vote_deleted() returns trigger language plpgsql as $$
begin
    insert into runner_arrival (view, target, source, sequence, value, difference)
    values (case when old.implementation_id is not null then 'implementation_votes'
                 when old.test_id is not null then 'test_votes'
                 else 'comment_votes' end,
            coalesce(old.implementation_id, old.test_id, old.comment_id),
            old.id, old.sequence + 1, 0, -old.value);
    return null;
end $$;
"""
DELETED_BEFORE = """
create or replace function functions_vote_deleted() returns trigger language plpgsql as $$
begin
    insert into runner_arrival (view, target, source, sequence, value, difference)
    values (case when old.implementation_id is null then 'test_votes'
                 else 'implementation_votes' end,
            coalesce(old.implementation_id, old.test_id), old.id, old.sequence + 1, 0, -old.value);
    return null;
end $$;
"""


def reference(to: str, **options: Any) -> Any:
    options = {"on_delete": django.db.models.deletion.CASCADE, **options}
    return models.ForeignKey(to=to, **options)


class Migration(migrations.Migration):
    dependencies = [
        ("functions", "0004_previews"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Comment",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("text", models.TextField()),
                ("score", models.IntegerField(default=0)),
                ("replies", models.IntegerField(default=0)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("edited_at", models.DateTimeField(null=True)),
                ("deleted_at", models.DateTimeField(null=True)),
                ("hidden_at", models.DateTimeField(null=True)),
                ("hidden_reason", models.CharField(blank=True, default="", max_length=500)),
                (
                    "author",
                    reference(
                        settings.AUTH_USER_MODEL,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="comments",
                    ),
                ),
                (
                    "hidden_by",
                    reference(
                        settings.AUTH_USER_MODEL,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                    ),
                ),
                (
                    "function",
                    reference("functions.function", db_index=False, related_name="comments"),
                ),
                (
                    "implementation",
                    reference("functions.implementation", null=True, related_name="comments"),
                ),
                ("test", reference("functions.test", null=True, related_name="comments")),
                (
                    "parent",
                    reference(
                        "functions.comment", db_index=False, null=True, related_name="answers"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("implementation__isnull", True),
                            ("test__isnull", True),
                            _connector="OR",
                        ),
                        name="comment_on_one_thing",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("replies__gte", 0)), name="comment_replies"
                    ),
                ],
                "indexes": [
                    models.Index(
                        condition=SHOWN, fields=["function", "-id"], name="comment_newest"
                    ),
                    models.Index(
                        condition=SHOWN, fields=["function", "-score", "-id"], name="comment_best"
                    ),
                    models.Index(
                        condition=models.Q(("deleted_at", None)),
                        fields=["function", "implementation", "test"],
                        name="comment_counts",
                    ),
                    models.Index(fields=["parent", "id"], name="comment_thread"),
                    models.Index(fields=["author", "-id"], name="comment_by_author"),
                ],
            },
        ),
        migrations.RemoveConstraint(model_name="vote", name="vote_on_one_work"),
        migrations.AddField(
            model_name="vote",
            name="comment",
            field=reference("functions.comment", db_index=False, null=True, related_name="votes"),
        ),
        migrations.AddConstraint(
            model_name="vote",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("comment", None), ("implementation__isnull", False), ("test", None)),
                    models.Q(("comment", None), ("implementation", None), ("test__isnull", False)),
                    models.Q(("comment__isnull", False), ("implementation", None), ("test", None)),
                    _connector="OR",
                ),
                name="vote_on_one_thing",
            ),
        ),
        migrations.AddConstraint(
            model_name="vote",
            constraint=models.UniqueConstraint(
                condition=models.Q(("comment__isnull", False)),
                fields=("voter", "comment"),
                name="vote_on_comment_once",
            ),
        ),
        migrations.AddIndex(
            model_name="vote",
            index=models.Index(
                condition=models.Q(("comment__isnull", False)),
                fields=["comment"],
                name="vote_on_comment",
            ),
        ),
        migrations.RunSQL(DELETED, DELETED_BEFORE),
    ]
