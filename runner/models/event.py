"""Topics with their logs of numbered events, and the outbox that feeds them."""

from django.db import models
from django.db.models.functions import Cast, Now

# Topics have no database constraints on references: topics are updated all the time, and each check
# would read through their former versions while some session holds an old snapshot. Topics are
# never deleted.

XID = Cast(
    Cast(models.Func(function="pg_current_xact_id"), models.TextField()), models.BigIntegerField()
)


class Topic(models.Model):
    """A sequence of events 1, 2, 3, ... without gaps; its name is kind and id: `function:12`."""

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
    """Events of one topic, written in the transaction that causes them, not numbered yet."""

    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, db_index=False, db_constraint=False)
    events = models.JSONField()  # [[type, payload], ...], in their order
    created_at = models.DateTimeField(db_default=Now())
    xid = models.BigIntegerField(db_default=XID)  # of the transaction that wrote the row

    class Meta:
        indexes = [models.Index(name="outbox_of_topic", fields=["topic", "xid"])]  # sequencing

    def __str__(self) -> str:
        return f"{self.topic_id} {len(self.events)}"
