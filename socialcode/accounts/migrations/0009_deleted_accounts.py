import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

# What is credited to an account, or acts for it. A deleted account takes no more of it: whoever
# inserts waits for a deletion that is under way, and deletions wait for who has inserted.
COLUMNS = (
    ("functions_function", "owner_id"),
    ("functions_functionrevision", "editor_id"),
    ("functions_implementation", "author_id"),
    ("functions_test", "author_id"),
    ("functions_acceptancetest", "author_id"),
    ("functions_comment", "author_id"),
    ("functions_flag", "flagger_id"),
    ("functions_agent", "person_id"),
    ("accounts_apitoken", "user_id"),
)
FENCE = """
create function {table}_of_the_living() returns trigger language plpgsql as $$
declare
    name text;
begin
    select username into name from auth_user where id = new.{column} for key share;
    if name like 'deleted user %' then
        raise exception 'this account is deleted' using
            errcode = 'integrity_constraint_violation', constraint = 'account_not_deleted';
    end if;
    return new;
end $$;
create trigger {table}_of_the_living before insert on {table}
    for each row execute function {table}_of_the_living();
"""
# A request that read the account before must not write back what it read.
FINAL = """
create function auth_user_stays_deleted() returns trigger language plpgsql as $$
begin
    raise exception 'this account is deleted' using
        errcode = 'integrity_constraint_violation', constraint = 'account_not_deleted';
end $$;
create trigger auth_user_stays_deleted before update on auth_user
    for each row when (old.username like 'deleted user %')
    execute function auth_user_stays_deleted();
"""


def fence(table: str, column: str) -> migrations.RunSQL:
    return migrations.RunSQL(
        FENCE.format(table=table, column=column),
        f"drop function {table}_of_the_living() cascade",
    )


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0008_tokens_end_with_passwords"),
        ("functions", "0031_vote_history"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="DeletedAccount",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "work",
                    models.CharField(
                        choices=[("kept", "kept"), ("withdrawn", "withdrawn")],
                        max_length=10,
                    ),
                ),
                ("former_name", models.CharField(blank=True, max_length=150)),
                (
                    "deleted_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                ("finished_at", models.DateTimeField(null=True)),
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="deletion",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("finished_at", None)),
                        fields=["deleted_at"],
                        name="deleted_account_unfinished",
                    )
                ],
            },
        ),
        *(fence(table, column) for table, column in COLUMNS),
        migrations.RunSQL(FINAL, "drop function auth_user_stays_deleted() cascade"),
    ]
