"""Views over documents, with what their records contribute and the groups that they make."""

import json
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q, UniqueConstraint
from django.db.models.functions import Lower, Now
from django.urls import reverse

MAX_RECORD = 100  # characters of a record's id, because they are parts of index entries
MAX_KEY = 750  # of a scalar in JSON, whose 120 characters may all be escaped


class NumericField(models.FloatField):  # type: ignore[type-arg]
    """An exact number of any size."""

    def db_type(self, connection: Any) -> str:  # noqa: ARG002
        return "numeric"


class DocumentView(models.Model):
    """A named query over records, kept up to date; its definition never changes."""

    name = models.CharField(max_length=80)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="document_views"
    )
    definition = models.JSONField()
    # the same as JSON text with its members in the order given, which jsonb loses; may be empty
    written = models.TextField(blank=True, default="", db_default="")
    # as registered sources name them; the second one is empty unless two are joined
    source = models.CharField(max_length=120)
    joined_source = models.CharField(max_length=120, blank=True)
    created_at = models.DateTimeField(db_default=Now())
    # null until all records that its sources had before have been read
    built_at = models.DateTimeField(null=True)
    changed_at = models.DateTimeField(null=True)  # when its groups were last changed

    class Meta:
        constraints = [UniqueConstraint(Lower("name"), name="document_view_name")]
        indexes = [
            # views of a source, for whoever changes its records
            models.Index(name="document_view_source", fields=["source"]),
            models.Index(
                name="document_view_joined",
                fields=["joined_source"],
                condition=~Q(joined_source=""),
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("document-view", args=[self.name])

    @property
    def as_written(self) -> Any:
        """The definition with its members in the order given, if that is known."""
        return json.loads(self.written) if self.written else self.definition

    @property
    def topic(self) -> str:
        """The topic of its changes."""
        return f"view:{self.pk}"


class OfView(models.Model):
    """A row of a view; without a constraint, which would lock the view's row in each write."""

    view = models.ForeignKey(
        DocumentView,
        on_delete=models.DO_NOTHING,
        related_name="+",
        db_constraint=False,
        db_index=False,
    )

    class Meta:
        abstract = True


class StoredContribution(OfView):
    """What a record contributes: what it is joined by, its group if it has it, and its fields."""

    side = models.SmallIntegerField()  # 1 for records of the joined source
    record = models.CharField(max_length=MAX_RECORD, db_collation="C")
    key = models.CharField(max_length=MAX_KEY, db_collation="C")
    group_key = models.CharField(max_length=MAX_KEY, null=True, db_collation="C")  # noqa: DJ001
    fields = models.JSONField(null=True)

    class Meta:
        abstract = True


class DocumentViewChange(StoredContribution):
    """A record's new contribution, until it is applied; without fields, it has none any more.

    Ids of a record's changes are in the order of its commits, because its row is locked.
    """

    arrived_at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = [models.Index(name="view_change_of_view", fields=["view", "id"])]

    def __str__(self) -> str:
        return f"{self.view_id}: {self.record} becomes {self.fields}"


class DocumentViewEntry(StoredContribution):
    """A record's contribution that is applied."""

    pk = models.CompositePrimaryKey("view", "side", "record")

    class Meta:
        indexes = [models.Index(name="view_entry_joined", fields=["view", "side", "key"])]

    def __str__(self) -> str:
        return f"{self.view_id}: {self.record} is {self.fields}"


class DocumentViewRank(OfView):
    """A row of a group (one record, or two joined ones) at one of its ranked values.

    The key's index is in the order of values, so the first and last ones are found at once, however
    many are inserted and removed.
    """

    pk = models.CompositePrimaryKey(
        "view", "position", "group_key", "number", "text", "record", "joined_record"
    )
    position = models.SmallIntegerField()  # of the value in the row's fields
    group_key = models.CharField(max_length=MAX_KEY, db_collation="C")
    # of strings infinite, which come after all numbers
    number = NumericField()
    text = models.CharField(max_length=120, db_collation="C")
    record = models.CharField(max_length=MAX_RECORD, db_collation="C")
    joined_record = models.CharField(max_length=MAX_RECORD, db_collation="C")

    def __str__(self) -> str:
        return f"{self.view_id}: {self.record} {self.joined_record} in {self.group_key}"


class DocumentViewGroup(OfView):
    """A group of a view: the number of its rows, its exact sums by value, and all of its values."""

    pk = models.CompositePrimaryKey("view", "key")
    key = models.CharField(max_length=MAX_KEY, db_collation="C")  # JSON of the group's scalar
    count = models.BigIntegerField()
    sums = models.JSONField()
    result = models.JSONField(default=dict)

    def __str__(self) -> str:
        return f"{self.view_id}: {self.key} has {self.count}"
