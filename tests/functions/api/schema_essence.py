"""The essence of the API's OpenAPI description, by which clients' breakage is told from additions.

After an addition record it anew: `.venv/bin/python -m tests.functions.api.schema_essence`.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

RECORD = Path(__file__).with_name("recorded_schema.json")
DEEPEST = 5

Essence = dict[str, dict[str, Any]]


def essence(schema: dict[str, Any]) -> Essence:
    """Return of each operation its id, scope, inputs with whether they're required, and answers."""
    return {
        f"{method.upper()} {path}": {
            "id": operation["operationId"],
            "scope": operation["x-scope"],
            "inputs": dict(sorted(_inputs(operation, schema))),
            "answers": {
                str(status): dict(sorted(_fields(_content(answer), schema)))
                for status, answer in operation["responses"].items()
                if int(status) < 400
            },
        }
        for path, operations in schema["paths"].items()
        for method, operation in operations.items()
    }


def breaks(before: Essence, after: Essence) -> list[str]:
    """Return what breaks clients that were written for the description before."""
    return [fault for name, former in before.items() for fault in _breaks_of(name, former, after)]


def _breaks_of(name: str, former: dict[str, Any], after: Essence) -> Iterator[str]:
    present = after.get(name)
    if present is None:
        yield f"{name} was removed"
        return
    for part in ("id", "scope"):
        if former[part] != present[part]:
            yield f"{name} has another {part}"
    for field, is_required in present["inputs"].items():
        if is_required and not former["inputs"].get(field, False):
            yield f"{name} requires {field}"
    for field in former["inputs"].keys() - present["inputs"].keys():
        yield f"{name} no longer takes {field}"
    for status, fields in former["answers"].items():
        if status in present["answers"]:
            found = present["answers"][status]
            yield from (f"{name} {said}" for said in _changes_of_answer(fields, found))
        else:
            yield f"{name} no longer answers {status}"


def _changes_of_answer(former: dict[str, str], present: dict[str, str]) -> Iterator[str]:
    for field, kind in former.items():
        if field not in present:
            yield f"no longer answers {field}"
        elif present[field] != kind:
            yield f"answers {field} as {present[field]}, no longer as {kind}"


def _inputs(operation: dict[str, Any], schema: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    for one in operation.get("parameters", ()):
        yield f"{one['in']} {one['name']}", bool(one.get("required", False))
    body = operation.get("requestBody", {})
    spec = _resolved(_content(body), schema)
    for name in spec.get("properties", {}):
        yield f"body {name}", name in spec.get("required", ())


def _fields(
    spec: dict[str, Any], schema: dict[str, Any], at: str = ""
) -> Iterator[tuple[str, str]]:
    """Yield the fields of an answer by path, with their types."""
    spec = _resolved(spec, schema)
    if at.count(".") >= DEEPEST:
        return
    for name, inner in spec.get("properties", {}).items():
        path = f"{at}.{name}" if at else name
        yield path, _kind(inner)
        for each in (inner, *inner.get("anyOf", ())):
            yield from _fields(each.get("items", each), schema, path)


def _kind(spec: dict[str, Any]) -> str:
    if "anyOf" in spec:
        return " or ".join(sorted(_kind(one) for one in spec["anyOf"]))
    return "object" if "$ref" in spec else str(spec.get("type", "anything"))


def _content(spec: dict[str, Any]) -> dict[str, Any]:
    content: dict[str, Any] = next(iter(spec.get("content", {}).values()), {})
    inner: dict[str, Any] = content.get("schema", {})
    return inner


def _resolved(spec: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    if "anyOf" in spec:
        spec = next((one for one in spec["anyOf"] if "$ref" in one), spec)
    if "$ref" not in spec:
        return spec
    found: dict[str, Any] = schema["components"]["schemas"][spec["$ref"].rsplit("/", 1)[-1]]
    return found


def record() -> None:
    """Store the essence of the present description."""
    from socialcode.api import api  # noqa: PLC0415 - Django is set up by then

    found = essence(api.get_openapi_schema(path_params={}))
    RECORD.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", "utf-8")


if __name__ == "__main__":
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "socialcode.settings")
    os.environ.setdefault("SOCIALCODE_DEVELOPMENT", "1")
    django.setup()
    record()
