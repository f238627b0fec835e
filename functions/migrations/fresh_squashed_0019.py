"""Creates all tables of an empty database.

It stands for the nineteen migrations that it replaces. A database that has taken all of these goes
on from here.
"""

import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.functions.text
import django.utils.timezone
from django.conf import settings
from django.contrib.postgres.operations import TrigramExtension
from django.db import migrations, models

# A vote that is deleted, with its voter say, is one that says 0 from then on.
VOTE_DELETED = """
create function functions_vote_deleted() returns trigger language plpgsql as $$
begin
    insert into runner_arrival (view, target, source, sequence, value, difference)
    values (case when old.implementation_id is not null then 'implementation_votes'
                 when old.test_id is not null then 'test_votes'
                 else 'comment_votes' end,
            coalesce(old.implementation_id, old.test_id, old.comment_id),
            old.id, old.sequence + 1, 0, -old.value);
    return null;
end $$;
create trigger functions_vote_deleted after delete on functions_vote
    for each row execute function functions_vote_deleted();
"""
# Votes are changed in place: room on their page keeps that from touching the indexes.
ROOM = "alter table functions_vote set (fillfactor = 80)"
# The log says what was done as long as there is one; emptying whole tables, as tests do, is no
# change of a row.
APPEND_ONLY = """
create function functions_auditentry_kept() returns trigger language plpgsql as $$
begin
    raise exception 'entries of the audit log are never changed or deleted';
end $$;
create trigger functions_auditentry_kept before update or delete on functions_auditentry
    for each row execute function functions_auditentry_kept();
"""


class Migration(migrations.Migration):
    replaces = [
        ("functions", "0001_initial"),
        ("functions", "0002_votes"),
        ("functions", "0003_cascades"),
        ("functions", "0004_previews"),
        ("functions", "0005_comments"),
        ("functions", "0006_election_origins_and_restored_revisions"),
        ("functions", "0007_moderation"),
        ("functions", "0008_acceptance_tests"),
        ("functions", "0009_watching"),
        ("functions", "0010_watching_by_default"),
        ("functions", "0011_usage_and_search"),
        ("functions", "0012_causes_of_due_elections"),
        ("functions", "0013_count_what_is_not_archived"),
        ("functions", "0014_acts_in_the_log"),
        ("functions", "0015_runtimes_and_marked_names"),
        ("functions", "0016_circles"),
        ("functions", "0017_look_for_circles"),
        ("functions", "0018_previews_of_circles"),
        ("functions", "0019_digests_of_proposals"),
    ]

    initial = True

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("runner", "fresh_squashed_0010"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        TrigramExtension(),
        migrations.CreateModel(
            name="Function",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=80)),
                ("name_key", models.CharField(max_length=80)),
                ("signature", models.CharField(blank=True, default="", max_length=500)),
                ("description", models.TextField(blank=True, default="")),
                (
                    "kind",
                    models.CharField(
                        choices=[("function", "function")], default="function", max_length=16
                    ),
                ),
                (
                    "language",
                    models.CharField(
                        choices=[("python", "Python")], default="python", max_length=16
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("changed_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("deleted_at", models.DateTimeField(blank=True, null=True)),
                ("last_implementation_number", models.IntegerField(default=0)),
                ("last_test_number", models.IntegerField(default=0)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("implemented", "Implemented"),
                            ("blocked", "Blocked"),
                            ("not_implemented", "Not implemented"),
                        ],
                        default="not_implemented",
                        max_length=16,
                    ),
                ),
                ("blocked_by", models.CharField(blank=True, default="", max_length=80)),
                ("untested", models.BooleanField(default=True)),
                ("judging", models.BooleanField(default=False)),
                ("closure_digest", models.BinaryField(default=b"", max_length=32)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="functions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="FunctionRevision",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("signature", models.CharField(blank=True, default="", max_length=500)),
                ("description", models.TextField(blank=True, default="")),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "editor",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "function",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="revisions",
                        to="functions.function",
                    ),
                ),
                (
                    "restored",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="functions.functionrevision",
                    ),
                ),
                ("name", models.CharField(max_length=80)),
            ],
            options={
                "indexes": [models.Index(fields=["function", "-id"], name="revision_of_function")],
            },
        ),
        migrations.CreateModel(
            name="Implementation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.IntegerField(null=True)),
                ("title", models.CharField(blank=True, default="", max_length=120)),
                ("code", models.TextField(blank=True, default="")),
                ("source_sha256", models.BinaryField(default=b"", max_length=32)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("draft", "draft"),
                            ("published", "published"),
                            ("withdrawn", "withdrawn"),
                        ],
                        default="draft",
                        max_length=10,
                    ),
                ),
                ("version", models.IntegerField(default=0)),
                ("score", models.IntegerField(default=0)),
                ("acceptable", models.BooleanField(null=True)),
                ("acceptable_reason", models.CharField(blank=True, default="", max_length=500)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("changed_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("published_at", models.DateTimeField(null=True)),
                ("withdrawn_at", models.DateTimeField(null=True)),
                (
                    "standing",
                    models.CharField(
                        choices=[
                            ("eligible", "eligible"),
                            ("failing", "failing"),
                            ("blocked", "blocked"),
                            ("circular", "circular"),
                            ("not_loading", "does not load"),
                            ("unjudged", "not judged yet"),
                            ("duplicate", "duplicate"),
                            ("unacceptable", "unacceptable"),
                        ],
                        default="unjudged",
                        max_length=16,
                    ),
                ),
                ("standing_reason", models.CharField(blank=True, default="", max_length=200)),
                ("passed", models.IntegerField(default=0)),
                ("counting", models.IntegerField(default=0)),
                ("cpu_us", models.BigIntegerField(null=True)),
                (
                    "author",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="implementations",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "based_on",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="copies",
                        to="functions.implementation",
                    ),
                ),
                (
                    "function",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="implementations",
                        to="functions.function",
                    ),
                ),
                (
                    "judge",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("state", "draft")),
                        fields=["author", "-changed_at"],
                        name="implementation_drafts",
                    ),
                    models.Index(
                        condition=models.Q(("state", "draft"), _negated=True),
                        fields=["author", "-published_at", "-id"],
                        name="implementation_by_author",
                    ),
                    django.contrib.postgres.indexes.GinIndex(
                        django.contrib.postgres.indexes.OpClass(
                            django.db.models.functions.text.Upper("code"), name="gin_trgm_ops"
                        ),
                        condition=models.Q(("state", "published")),
                        name="implementation_letters",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("function", "number"), name="implementation_number"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("state", "draft"),
                            models.Q(("number__isnull", False), ("published_at__isnull", False)),
                            _connector="OR",
                        ),
                        name="implementation_published_has_number",
                    ),
                ],
            },
        ),
        migrations.AddField(
            model_name="function",
            name="elected",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.RESTRICT,
                related_name="+",
                to="functions.implementation",
            ),
        ),
        migrations.AddField(
            model_name="function",
            name="archived_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="function",
            name="offered_to",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="functions_offered",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="function",
            name="due_to",
            field=models.CharField(blank=True, default="", max_length=200),
        ),
        migrations.AddField(
            model_name="function",
            name="circle",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=80),
                blank=True,
                db_default=[],
                default=list,
                size=None,
            ),
        ),
        migrations.AddField(
            model_name="function",
            name="proposed",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.RESTRICT,
                related_name="+",
                to="functions.implementation",
            ),
        ),
        migrations.AddIndex(
            model_name="function",
            index=models.Index(
                condition=models.Q(("deleted_at", None)),
                fields=["status", "-changed_at"],
                name="function_by_status",
            ),
        ),
        migrations.AddIndex(
            model_name="function",
            index=models.Index(
                condition=models.Q(("deleted_at", None), _negated=True),
                fields=["name_key", "-id"],
                name="function_deleted",
            ),
        ),
        migrations.AddIndex(
            model_name="function",
            index=models.Index(
                condition=models.Q(("deleted_at", None)),
                fields=["-changed_at"],
                name="function_by_change",
            ),
        ),
        migrations.AddIndex(
            model_name="function",
            index=models.Index(
                condition=models.Q(("deleted_at", None)),
                fields=["owner", "-created_at", "-id"],
                name="function_by_owner",
            ),
        ),
        migrations.AddIndex(
            model_name="function",
            index=django.contrib.postgres.indexes.GinIndex(
                django.contrib.postgres.search.SearchVector(
                    models.Func(
                        models.F("name"),
                        models.Value("([a-z0-9])([A-Z])"),
                        models.Value("\\1 \\2"),
                        models.Value("g"),
                        function="regexp_replace",
                        output_field=models.TextField(),
                    ),
                    "signature",
                    "description",
                    config="english",
                ),
                condition=models.Q(("deleted_at", None)),
                name="function_words",
            ),
        ),
        migrations.AddIndex(
            model_name="function",
            index=django.contrib.postgres.indexes.GinIndex(
                django.contrib.postgres.indexes.OpClass(
                    django.db.models.functions.text.Upper("name"), name="gin_trgm_ops"
                ),
                django.contrib.postgres.indexes.OpClass(
                    django.db.models.functions.text.Upper("signature"), name="gin_trgm_ops"
                ),
                condition=models.Q(("deleted_at", None)),
                name="function_letters",
            ),
        ),
        migrations.AddIndex(
            model_name="function",
            index=models.Index(
                condition=models.Q(("archived_at", None), ("deleted_at", None)),
                fields=["status", "untested"],
                name="function_counted",
            ),
        ),
        migrations.AddConstraint(
            model_name="function",
            constraint=models.UniqueConstraint(
                condition=models.Q(("deleted_at", None)),
                fields=("name_key",),
                name="function_name_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="function",
            constraint=models.CheckConstraint(
                condition=models.Q(("elected", None), ("status", "implemented"), _negated=True),
                name="function_implemented_has_elected",
            ),
        ),
        migrations.CreateModel(
            name="Election",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("cause", models.CharField(max_length=200)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "function",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="elections",
                        to="functions.function",
                    ),
                ),
                (
                    "elected",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="functions.implementation",
                    ),
                ),
                (
                    "previous",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="functions.implementation",
                    ),
                ),
                (
                    "batch",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="runner.batch",
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "origin",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="functions.function",
                    ),
                ),
                ("origin_cause", models.CharField(blank=True, default="", max_length=200)),
                (
                    "circle",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=80),
                        blank=True,
                        db_default=[],
                        default=list,
                        size=None,
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["function", "-id"], name="election_of_function")],
            },
        ),
        migrations.CreateModel(
            name="Test",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.IntegerField(null=True)),
                ("title", models.CharField(blank=True, default="", max_length=120)),
                ("code", models.TextField(blank=True, default="")),
                ("source_sha256", models.BinaryField(default=b"", max_length=32)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("draft", "draft"),
                            ("published", "published"),
                            ("withdrawn", "withdrawn"),
                        ],
                        default="draft",
                        max_length=10,
                    ),
                ),
                ("version", models.IntegerField(default=0)),
                ("score", models.IntegerField(default=0)),
                ("acceptable", models.BooleanField(null=True)),
                ("acceptable_reason", models.CharField(blank=True, default="", max_length=500)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("changed_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("published_at", models.DateTimeField(null=True)),
                ("withdrawn_at", models.DateTimeField(null=True)),
                ("compile_error", models.CharField(blank=True, default="", max_length=300)),
                (
                    "health",
                    models.CharField(
                        choices=[
                            ("working", "working"),
                            ("broken", "broken"),
                            ("circular", "circular"),
                        ],
                        default="working",
                        max_length=10,
                    ),
                ),
                ("reason", models.CharField(blank=True, default="", max_length=300)),
                ("counts", models.BooleanField(default=False)),
                (
                    "author",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="tests",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "based_on",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="copies",
                        to="functions.test",
                    ),
                ),
                (
                    "function",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tests",
                        to="functions.function",
                    ),
                ),
                (
                    "judge",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("state", "draft")),
                        fields=["author", "-changed_at"],
                        name="test_drafts",
                    ),
                    models.Index(
                        condition=models.Q(("state", "draft"), _negated=True),
                        fields=["author", "-published_at", "-id"],
                        name="test_by_author",
                    ),
                    django.contrib.postgres.indexes.GinIndex(
                        django.contrib.postgres.indexes.OpClass(
                            django.db.models.functions.text.Upper("code"), name="gin_trgm_ops"
                        ),
                        condition=models.Q(("state", "published")),
                        name="test_letters",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("function", "number"), name="test_number"),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("state", "draft"),
                            models.Q(("number__isnull", False), ("published_at__isnull", False)),
                            _connector="OR",
                        ),
                        name="test_published_has_number",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Dependency",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=80)),
                ("name_key", models.CharField(max_length=80)),
                (
                    "target",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="dependents",
                        to="functions.function",
                    ),
                ),
                (
                    "implementation",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="dependencies",
                        to="functions.implementation",
                    ),
                ),
                (
                    "test",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="dependencies",
                        to="functions.test",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("target", None)),
                        fields=["name_key"],
                        name="dependency_missing",
                    )
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("implementation__isnull", True), ("test__isnull", False)),
                            models.Q(("implementation__isnull", False), ("test__isnull", True)),
                            _connector="OR",
                        ),
                        name="dependency_of_one_work",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("implementation__isnull", False)),
                        fields=("implementation", "name_key"),
                        name="dependency_of_implementation_once",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("test__isnull", False)),
                        fields=("test", "name_key"),
                        name="dependency_of_test_once",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Cell",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.BinaryField(max_length=32, null=True)),
                ("result_key", models.BinaryField(max_length=32, null=True)),
                ("verdict", models.CharField(blank=True, default="", max_length=16)),
                ("given_up", models.BooleanField(default=False)),
                ("message", models.CharField(blank=True, default="", max_length=500)),
                ("line", models.IntegerField(null=True)),
                ("cpu_us", models.BigIntegerField(null=True)),
                (
                    "implementation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="cells",
                        to="functions.implementation",
                    ),
                ),
                (
                    "test",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="cells",
                        to="functions.test",
                    ),
                ),
                ("carried", models.BooleanField(db_default=False, default=False)),
            ],
            options={
                "indexes": [
                    models.Index(fields=["key"], name="cell_by_key"),
                    models.Index(
                        condition=models.Q(("result_key", models.F("key")), _negated=True),
                        fields=["result_key"],
                        name="cell_by_older_result",
                    ),
                    models.Index(
                        condition=models.Q(
                            ("test__isnull", False),
                            models.Q(("verdict__in", ("", "passed")), _negated=True),
                        ),
                        fields=["test", "implementation"],
                        name="cell_caught",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("implementation", "test"), name="cell_once", nulls_distinct=False
                    )
                ],
            },
        ),
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
        migrations.CreateModel(
            name="Preview",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "change",
                    models.CharField(
                        choices=[
                            ("publish", "publishing"),
                            ("withdraw", "withdrawing"),
                            ("accept", "accepting"),
                            ("reject", "marking unacceptable"),
                            ("clear", "leaving to the votes"),
                            ("delete", "deleting"),
                        ],
                        max_length=10,
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("is_decided", models.BooleanField(default=False)),
                ("code", models.TextField(blank=True, default="")),
                ("links", models.JSONField(default=list)),
                ("ahead", models.JSONField(default=list)),
                ("programs", models.IntegerField(default=0)),
                (
                    "batch",
                    models.OneToOneField(
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="preview",
                        to="runner.batch",
                    ),
                ),
                (
                    "candidate",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="functions.implementation",
                    ),
                ),
                (
                    "function",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="previews",
                        to="functions.function",
                    ),
                ),
                (
                    "implementation",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="previews",
                        to="functions.implementation",
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="previews",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "test",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="previews",
                        to="functions.test",
                    ),
                ),
                ("acceptance", models.JSONField(default=list)),
                (
                    "circle",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=80),
                        blank=True,
                        db_default=[],
                        default=list,
                        size=None,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Effect",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("was_implemented", models.BooleanField()),
                ("elected", models.IntegerField(null=True)),
                ("current", models.CharField(blank=True, default="", max_length=20)),
                ("candidates", models.JSONField(default=list)),
                ("tests", models.JSONField(default=list)),
                ("left_out", models.IntegerField(default=0)),
                (
                    "function",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="functions.function",
                    ),
                ),
                (
                    "preview",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="effects",
                        to="functions.preview",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("preview", "function"), name="effect_once")
                ],
            },
        ),
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
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="comments",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "hidden_by",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "function",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="comments",
                        to="functions.function",
                    ),
                ),
                (
                    "implementation",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="comments",
                        to="functions.implementation",
                    ),
                ),
                (
                    "test",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="comments",
                        to="functions.test",
                    ),
                ),
                (
                    "parent",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="answers",
                        to="functions.comment",
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
                        condition=models.Q(
                            ("parent", None),
                            models.Q(("deleted_at", None), ("replies__gt", 0), _connector="OR"),
                        ),
                        fields=["function", "-id"],
                        name="comment_newest",
                    ),
                    models.Index(
                        condition=models.Q(
                            ("parent", None),
                            models.Q(("deleted_at", None), ("replies__gt", 0), _connector="OR"),
                        ),
                        fields=["function", "-score", "-id"],
                        name="comment_best",
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
        migrations.CreateModel(
            name="Vote",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("value", models.SmallIntegerField()),
                (
                    "implementation",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="votes",
                        to="functions.implementation",
                    ),
                ),
                (
                    "test",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="votes",
                        to="functions.test",
                    ),
                ),
                (
                    "voter",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="votes",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("sequence", models.BigIntegerField(db_default=1, default=1)),
                (
                    "comment",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="votes",
                        to="functions.comment",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("comment__isnull", False)),
                        fields=["comment"],
                        name="vote_on_comment",
                    )
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("value__in", (-1, 0, 1))), name="vote_value"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("implementation__isnull", False)),
                        fields=("voter", "implementation"),
                        name="vote_on_implementation_once",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("test__isnull", False)),
                        fields=("voter", "test"),
                        name="vote_on_test_once",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("comment", None), ("implementation__isnull", False), ("test", None)
                            ),
                            models.Q(
                                ("comment", None), ("implementation", None), ("test__isnull", False)
                            ),
                            models.Q(
                                ("comment__isnull", False), ("implementation", None), ("test", None)
                            ),
                            _connector="OR",
                        ),
                        name="vote_on_one_thing",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("comment__isnull", False)),
                        fields=("voter", "comment"),
                        name="vote_on_comment_once",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="AuditEntry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "act",
                    models.CharField(
                        choices=[
                            ("accepted", "accepted"),
                            ("unacceptable", "marked unacceptable"),
                            ("left_to_votes", "left to the votes"),
                            ("comment_hidden", "hid"),
                            ("comment_shown", "showed again"),
                            ("restored", "restored a revision"),
                            ("renamed", "renamed"),
                            ("archived", "archived"),
                            ("unarchived", "took out of the archive"),
                            ("deleted", "deleted"),
                            ("offered", "offered ownership to"),
                            ("offer_ended", "took back the offer to"),
                            ("offer_declined", "declined ownership from"),
                            ("offer_accepted", "accepted ownership from"),
                            ("transferred", "handed ownership over to"),
                            ("flag_upheld", "acted on a flag"),
                            ("flag_dismissed", "dismissed a flag"),
                            ("suspended", "suspended"),
                            ("suspension_lifted", "lifted the suspension of"),
                        ],
                        max_length=20,
                    ),
                ),
                ("kind", models.CharField(blank=True, default="", max_length=16)),
                ("item_id", models.BigIntegerField(null=True)),
                ("label", models.CharField(blank=True, default="", max_length=200)),
                ("reason", models.CharField(blank=True, default="", max_length=500)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "actor",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "function",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="audit_entries",
                        to="functions.function",
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["function", "-id"], name="audit_of_function"),
                    models.Index(fields=["actor", "-id"], name="audit_of_actor"),
                    models.Index(fields=["act", "-id"], name="audit_of_act"),
                    models.Index(
                        condition=models.Q(("person", None), _negated=True),
                        fields=["person", "-id"],
                        name="audit_of_person",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Flag",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("kind", models.CharField(max_length=16)),
                ("item_id", models.BigIntegerField()),
                ("label", models.CharField(blank=True, default="", max_length=200)),
                ("reason", models.CharField(max_length=500)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("open", "open"),
                            ("upheld", "acted on"),
                            ("dismissed", "dismissed"),
                        ],
                        default="open",
                        max_length=10,
                    ),
                ),
                ("note", models.CharField(blank=True, default="", max_length=500)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("resolved_at", models.DateTimeField(null=True)),
                (
                    "flagger",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="flags",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "function",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="flags",
                        to="functions.function",
                    ),
                ),
                (
                    "resolver",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["state", "-id"], name="flag_by_state"),
                    models.Index(fields=["flagger", "-id"], name="flag_of_flagger"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("flagger", "kind", "item_id"), name="flag_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("resolved_at", None), ("resolver", None), ("state", "open")),
                            models.Q(
                                models.Q(("state", "open"), _negated=True),
                                ("resolved_at__isnull", False),
                                ("resolver__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="flag_resolved_by_somebody",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="AcceptanceTest",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("title", models.CharField(blank=True, default="", max_length=120)),
                ("code", models.TextField(blank=True, default="")),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("draft", "draft"),
                            ("published", "published"),
                            ("withdrawn", "withdrawn"),
                        ],
                        default="draft",
                        max_length=10,
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("changed_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("published_at", models.DateTimeField(null=True)),
                ("withdrawn_at", models.DateTimeField(null=True)),
                ("key", models.BinaryField(max_length=32, null=True)),
                ("asleep", models.CharField(blank=True, default="", max_length=200)),
                ("verdict", models.CharField(blank=True, default="", max_length=16)),
                ("message", models.CharField(blank=True, default="", max_length=500)),
                ("given_up", models.BooleanField(default=False)),
                (
                    "author",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="acceptance_tests",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "function",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="acceptance_tests",
                        to="functions.function",
                    ),
                ),
                (
                    "target",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="accepted_by",
                        to="functions.function",
                    ),
                ),
                (
                    "names",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(), db_default=[], default=list, size=None
                    ),
                ),
                ("version", models.IntegerField(db_default=1, default=1)),
            ],
            options={
                "indexes": [
                    models.Index(fields=["key"], name="acceptance_by_key"),
                    django.contrib.postgres.indexes.GinIndex(
                        fields=["names"], name="acceptance_marking"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Digest",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="digest",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "frequency",
                    models.CharField(
                        choices=[("off", "Off"), ("daily", "Daily"), ("weekly", "Weekly")],
                        default="off",
                        max_length=8,
                    ),
                ),
                ("address", models.EmailField(blank=True, default="", max_length=254)),
                ("confirmed_at", models.DateTimeField(null=True)),
                ("period", models.DateField(null=True)),
                ("sent_up_to", models.BigIntegerField(default=0)),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(
                            models.Q(("frequency", "off"), _negated=True),
                            models.Q(("confirmed_at", None), _negated=True),
                        ),
                        fields=["frequency", "user"],
                        name="digest_wanted",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Notice",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("failing_test", "a test that one's implementation fails"),
                            ("broken_dependency", "a dependency that broke"),
                            ("acceptance_failed", "an acceptance test that failed"),
                            ("comment", "a comment"),
                            ("current_changed", "another current implementation"),
                        ],
                        max_length=20,
                    ),
                ),
                ("text", models.CharField(max_length=300)),
                ("path", models.CharField(blank=True, default="", max_length=200)),
                ("once", models.CharField(max_length=60, null=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "actor",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "function",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notices",
                        to="functions.function",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["created_at"], name="notice_by_age")],
                "constraints": [
                    models.UniqueConstraint(fields=("function", "kind", "once"), name="notice_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="Notification",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(),
                        default=django.utils.timezone.now,
                    ),
                ),
                ("read_at", models.DateTimeField(null=True)),
                (
                    "notice",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notifications",
                        to="functions.notice",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notifications",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["user", "-id"], name="notification_of_user"),
                    models.Index(
                        condition=models.Q(("read_at", None)),
                        fields=["user", "-id"],
                        name="notification_unread",
                    ),
                    models.Index(
                        condition=models.Q(("read_at", None), _negated=True),
                        fields=["read_at"],
                        name="notification_read",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("notice", "user"), name="told_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="Watch",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("watching", models.BooleanField(default=True)),
                ("changed_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "function",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="watches",
                        to="functions.function",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="watches",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("watching", True)),
                        fields=["function", "user"],
                        name="watch_of_function",
                    ),
                    models.Index(
                        condition=models.Q(("watching", True)),
                        fields=["user", "-id"],
                        name="watch_of_user",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("function", "user"), name="watch_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="Usage",
            fields=[
                (
                    "function",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="usage",
                        serialize=False,
                        to="functions.function",
                    ),
                ),
                ("dependents", models.IntegerField(default=0)),
            ],
            options={
                "indexes": [models.Index(fields=["-dependents", "-function"], name="usage_most")],
            },
        ),
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
        migrations.RunSQL(VOTE_DELETED, "drop function functions_vote_deleted() cascade"),
        migrations.RunSQL(ROOM, migrations.RunSQL.noop),
        migrations.RunSQL(APPEND_ONLY, "drop function functions_auditentry_kept() cascade"),
    ]
