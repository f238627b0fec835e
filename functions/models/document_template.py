"""Stored templates that map one JSON document to another."""

import json
from typing import Any

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils import timezone


class DocumentTemplate(models.Model):
    """A named mapping of documents, in the language of `functions.json_data.mapping`."""

    MAX_DESCRIPTION = 2_000

    name = models.CharField(max_length=80)
    name_key = models.CharField(max_length=80, unique=True)  # the name in lower case
    # JSON as text, which keeps the order of members; output has the same order
    definition = models.TextField()
    description = models.CharField(max_length=MAX_DESCRIPTION, blank=True, default="")
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="document_templates"
    )
    created_at = models.DateTimeField(default=timezone.now)
    changed_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("document-template", args=[self.name])

    @property
    def definition_value(self) -> Any:
        """The definition as a JSON value."""
        return json.loads(self.definition)
