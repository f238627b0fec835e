from django.db import migrations, models
from django.db.models import Q
from django.db.models.functions import Now

OPEN, ENDED = (0, 1), (2, 3)
# Waiting to held, lost from either, returned from held: as in `runner.models.semaphore`.
TRANSITIONS = "(0,1), (0,3), (1,2), (1,3)"


class Migration(migrations.Migration):
    dependencies = [("runner", "0003_chains_and_loading")]

    operations = [
        migrations.CreateModel(
            name="Ticket",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=100, unique=True)),
                ("key", models.CharField(max_length=100)),
                ("capacity", models.IntegerField()),
                ("holder", models.CharField(max_length=100)),
                (
                    "state",
                    models.SmallIntegerField(
                        choices=[(0, "waiting"), (1, "held"), (2, "returned"), (3, "lost")]
                    ),
                ),
                (
                    "under",
                    models.ForeignKey(
                        "runner.ticket",
                        on_delete=models.CASCADE,
                        null=True,
                        related_name="+",
                        db_index=False,
                    ),
                ),
                ("leased_until", models.DateTimeField(null=True)),
                ("reported_at", models.DateTimeField(null=True)),
                ("created_at", models.DateTimeField(db_default=Now())),
                ("ended_at", models.DateTimeField(null=True)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        name="ticket_leased_only_while_held",
                        condition=Q(leased_until__isnull=True) | Q(state=1),
                    ),
                    models.CheckConstraint(
                        name="ticket_ended_iff_over",
                        condition=Q(state__in=OPEN, ended_at__isnull=True)
                        | Q(state__in=ENDED, ended_at__isnull=False),
                    ),
                ],
                "indexes": [
                    models.Index(
                        name="ticket_queue",
                        fields=["key", "state", "id"],
                        condition=Q(state__in=OPEN),
                    ),
                    models.Index(
                        name="ticket_of_holder", fields=["holder"], condition=Q(state__in=OPEN)
                    ),
                    models.Index(
                        name="ticket_under", fields=["under"], condition=Q(under__isnull=False)
                    ),
                    models.Index(
                        name="ticket_over", fields=["ended_at"], condition=Q(state__in=ENDED)
                    ),
                ],
            },
        ),
        migrations.RunSQL(
            "create trigger runner_ticket_transition before update of state on runner_ticket "
            "for each row "
            f"when (old.state <> new.state and (old.state, new.state) not in ({TRANSITIONS})) "
            "execute function runner_refuse_transition()",
            "drop trigger runner_ticket_transition on runner_ticket",
        ),
        migrations.RunSQL(
            "alter table runner_ticket set (autovacuum_vacuum_scale_factor = 0,"
            " autovacuum_vacuum_threshold = 5000)",
            "alter table runner_ticket reset (autovacuum_vacuum_scale_factor,"
            " autovacuum_vacuum_threshold)",
        ),
        migrations.AddField(
            model_name="followup",
            name="ticket",
            field=models.ForeignKey(
                "runner.ticket",
                on_delete=models.CASCADE,
                null=True,
                related_name="follow_ups",
                db_index=False,
            ),
        ),
        migrations.AlterField(
            model_name="followup",
            name="due_at",
            field=models.DateTimeField(null=True, db_default=Now()),
        ),
        migrations.AddIndex(
            model_name="followup",
            index=models.Index(
                name="follow_up_ticket", fields=["ticket"], condition=Q(ticket__isnull=False)
            ),
        ),
    ]
