"""Labels accounts as agents', and counts agents' votes apart."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

# A vote that is deleted, with its voter say, is one that says 0 from then on.
VOTE_DELETED = """
create or replace function functions_vote_deleted() returns trigger language plpgsql as $$
begin
    insert into runner_arrival (view, target, source, sequence, value, difference)
    values (case when old.implementation_id is not null then 'implementation'
                 when old.test_id is not null then 'test'
                 else 'comment' end || case when {apart} then '_agent_votes' else '_votes' end,
            coalesce(old.implementation_id, old.test_id, old.comment_id),
            old.id, old.sequence + 1, 0, -old.value);
    return null;
end $$;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("functions", "0047_webhooks"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="AgentLabel",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="agent_label",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "source",
                    models.CharField(
                        choices=[("holder", "holder"), ("staff", "staff")], max_length=8
                    ),
                ),
                ("reason", models.CharField(blank=True, default="", max_length=500)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("settled_at", models.DateTimeField(null=True)),
            ],
        ),
        *(
            migrations.AddField(
                model_name=model,
                name="agent_score",
                field=models.IntegerField(db_default=0, default=0),
            )
            for model in ("implementation", "test", "comment")
        ),
        *(
            migrations.AddField(
                model_name="vote",
                name=name,
                field=models.BooleanField(db_default=False, default=False),
            )
            for name in ("by_agent", "apart")
        ),
        migrations.RunSQL(
            VOTE_DELETED.format(apart="old.apart"), VOTE_DELETED.format(apart="false")
        ),
    ]
