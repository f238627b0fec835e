"""Topics with their logs of numbered events, and the outbox of new events."""

from django.db import models
from django.db.models.functions import Cast, Now

# References to topics have no database constraint: topics are updated often and never deleted, and
# while some session holds an old snapshot, each check would read through all their old versions.

XID = Cast(
    Cast(models.Func(function="pg_current_xact_id"), models.TextField()), models.BigIntegerField()
)


class Topic(models.Model):
    """A sequence of events 1, 2, 3, ... without gaps; the name is a kind and id: `function:12`."""

    name = models.CharField(max_length=100, unique=True)
    epoch = models.IntegerField(default=1)  # raised when a backup is restored
    first_seq = models.BigIntegerField(default=1)  # older events have been removed
    head_seq = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return self.name


class Event(models.Model):
    """One numbered event of a topic."""

    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, db_index=False, db_constraint=False)
    seq = models.BigIntegerField()
    type = models.CharField(max_length=32)
    payload = models.JSONField()
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(name="event_seq", fields=["topic", "seq"])]

    def __str__(self) -> str:
        return f"{self.topic_id}/{self.seq} {self.type}"


class OutboxEvent(models.Model):
    """Unnumbered events of one topic, written in the transaction that caused them."""

    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, db_index=False, db_constraint=False)
    events = models.JSONField()  # [[type, payload], ...], in order
    created_at = models.DateTimeField(db_default=Now())
    xid = models.BigIntegerField(db_default=XID)  # of the transaction that wrote the row

    class Meta:
        indexes = [models.Index(name="outbox_of_topic", fields=["topic", "xid"])]  # sequencing

    def __str__(self) -> str:
        return f"{self.topic_id} {len(self.events)}"
