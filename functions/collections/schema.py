"""The schema that a collection's items must fit: one of its own, or a document."""

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from django.utils.translation import gettext as _

from functions.errors import Complaint, Conflict, Refusal, refuse_all
from functions.json_data.schema import check_schema, validate
from functions.models import Collection, Document
from functions.names import name_key

# Members of links that could not be expanded.
_UNEXPANDED = {"link_missing", "link_too_large"}


def check_item(collection: Collection, value: Any) -> None:
    """Refuse a value that doesn't fit, with all faults and their places."""
    schema = current_schema(collection)
    if schema is None:
        return
    faults = validate(schema, value)
    refuse_all([Complaint(f"value{at}", "invalid_value", message) for at, message in faults])


def current_schema(collection: Collection) -> Any | None:
    """Return what new values must fit, None if any object does.

    Raises a Conflict if that is a document which is no schema now.
    """
    name = collection.schema_document
    if not name:
        return collection.schema
    document = Document.objects.filter(function__name_key=name_key(name))
    found = document.values_list("function__name", "expanded").first()
    if found is None:
        raise _conflict(name, _("it has no current implementation"))
    name, schema = found
    try:
        _check(json.dumps(schema))
    except Refusal as refusal:
        raise _conflict(name, refusal.message.rstrip(".")) from refusal
    return schema


def shown_schema(collection: Collection) -> Any | None:
    """Return the current schema, None if there is none or the document isn't one."""
    try:
        return current_schema(collection)
    except Conflict:
        return None


def _conflict(name: str, fault: str) -> Conflict:
    message = _(
        "Items can’t be added or changed now. Their schema is the document %(name)s: %(fault)s."
    )
    return Conflict("invalid_schema", message % {"name": name, "fault": fault}, field="schema")


@lru_cache(maxsize=64)
def _check(text: str) -> None:
    """Raise a Refusal if this JSON can't be a schema; those that can are checked once."""
    schema = json.loads(text)
    if key := next(_unexpanded(schema), ""):
        message = _("its link to %(name)s leads nowhere") % {"name": key}
        raise Refusal("invalid_schema", message)
    check_schema(schema)


def _unexpanded(value: Any) -> Iterator[str]:
    """Yield the names of links that could not be expanded."""
    if isinstance(value, dict):
        if not _UNEXPANDED.isdisjoint(value):
            yield str(value.get("key"))
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _unexpanded(each)
