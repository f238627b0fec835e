"""Answers with chosen fields only: `?fields=name,status`, of items in lists."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja.renderers import JSONRenderer

from functions.api.routes import path_of, route_of
from functions.errors import Refusal

PARAMETER = "fields"
READING = ("GET", "HEAD")
# Lists whose other parameters are names of their items' members, perhaps `fields`.
QUERIES = ("collections/<name>/items/", "documents/")
_DESCRIPTION = "names of fields, with commas in between; the others are left out{of_items}"


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of an answer; `are_of_items` if it is a list."""

    names: frozenset[str]
    are_of_items: bool


class SparseRenderer(JSONRenderer):
    """Leaves out fields that the reader hasn't asked for."""

    def __init__(self, describe: Callable[[], dict[str, Any]]) -> None:
        self._fields = functools.cache(lambda: fields_by_path(describe()))

    def render(self, request: HttpRequest, data: Any, *, response_status: int) -> Any:
        asked = request.GET.get(PARAMETER)
        if asked is not None and request.method in READING:
            fields = self._fields().get(path_of(route_of(request)))
            data = data if fields is None else _chosen(data, asked, fields)
        return super().render(request, data, response_status=response_status)


def _chosen(data: Any, asked: str, fields: Fields) -> Any:
    names = [name.strip() for name in asked.split(",")]
    unknown = [name for name in names if name not in fields.names]
    if unknown:
        message = _("There is no field “%(name)s”; there are: %(names)s.") % {
            "name": unknown[0],
            "names": ", ".join(sorted(fields.names)),
        }
        raise Refusal("unknown_field", message, field=PARAMETER)
    if not fields.are_of_items:
        return _with(data, names)
    return {**data, "items": [_with(item, names) for item in data["items"]]}


def _with(row: dict[str, Any], names: list[str]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name in names}


def fields_by_path(schema: dict[str, Any]) -> dict[str, Fields]:
    """Return the fields of what can be read, by path below the version."""
    found: dict[str, Fields] = {}
    for path, operations in schema["paths"].items():
        route = path.partition("/api/v1/")[2]
        fields = _fields_of(operations.get("get"), schema)
        if fields and route not in {path_of(query) for query in QUERIES}:
            found[route] = fields
    return found


def _fields_of(operation: dict[str, Any] | None, schema: dict[str, Any]) -> Fields | None:
    answers = operation["responses"] if operation else {}
    content = answers.get(200, answers.get("200", {})).get("content", {})
    properties = _properties(content.get("application/json", {}).get("schema", {}), schema)
    items = _properties(properties.get("items", {}).get("items", {}), schema)
    names = frozenset(items or properties)
    return Fields(names, are_of_items=bool(items)) if names else None


def _properties(spec: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    name = spec.get("$ref", "").rsplit("/", 1)[-1]
    form = schema["components"]["schemas"].get(name, {})
    properties: dict[str, Any] = form.get("properties", {})
    return properties


def name_fields(schema: dict[str, Any]) -> None:
    """Add the parameter to the operations of an OpenAPI description that take it, in place."""
    for route, fields in fields_by_path(schema).items():
        of_items = " of each item" if fields.are_of_items else ""
        one = f"({'|'.join(sorted(fields.names))})"
        operation = schema["paths"][f"/api/v1/{route}"]["get"]
        operation.setdefault("parameters", []).append(
            {
                "in": "query",
                "name": PARAMETER,
                "required": False,
                "description": _DESCRIPTION.format(of_items=of_items),
                "schema": {"type": "string", "pattern": f"^{one}(,{one})*$"},
            }
        )
        responses = operation["responses"]
        like = next((one for status, one in responses.items() if int(status) >= 400), None)
        if like is not None:
            responses.setdefault(422, {**like, "description": "Unprocessable Content"})
