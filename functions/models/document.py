"""Current documents, with their links expanded."""

from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.utils import timezone

from .function import Function
from .work import Implementation


class Document(models.Model):
    """The current value of a function of the kind document.

    Written in the transaction of each election that changes it or what it links, so it is as fresh
    as the election is.
    """

    function = models.OneToOneField(
        Function, on_delete=models.CASCADE, primary_key=True, related_name="document"
    )
    implementation = models.ForeignKey(
        Implementation, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    value = models.JSONField()  # as written
    expanded = models.JSONField()  # with links replaced by what they lead to
    size = models.IntegerField()  # of the expanded JSON, in characters
    depth = models.IntegerField()  # of the expanded value
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [
            # queries by the value of any field
            GinIndex(name="document_fields", fields=["expanded"], opclasses=["jsonb_path_ops"]),
        ]

    def __str__(self) -> str:
        return f"document {self.function_id}"
