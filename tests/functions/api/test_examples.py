"""Each operation has an example, which is as the OpenAPI description says.

They are recorded from answers to a user's requests, in `functions/api/examples/`. After a change of
an operation run this module with `SOCIALCODE_RECORD=1`.
"""

import json
import os
import re
from typing import Any

import pytest
from django.db import connection, transaction
from django.http import HttpResponse
from jsonschema import Draft202012Validator

from functions.api.docs import operations
from functions.api.examples import FOLDER, examples
from functions.api.routes import path_of
from socialcode.api import api
from tests.functions.api.conftest import API
from tests.support.roles import BODIES, World, api_entries

# Whom each operation is tried as, until it succeeds.
TRIED = ("owner", "staff", "member")
MOST_ITEMS = 2
LONGEST_TEXT = 400
FILES = ("GET functions/{name}/export/{filename}", "GET account/export/")
DOCUMENTS = ("GET documents/{name}/", "GET documents/{name}/versions/{number}/")
# What needs the process of calls, which tests don't have.
_LINE = {"ms": 0.2, "stream": "out", "text": "6 times"}
_VERSIONS = [
    {"name": name, "implementation": number, "sha256": f"{number:064x}"}
    for name, number in (("Add", 7), ("Multiply", 9))
]
_CALLED = {
    "result": 42,
    "log": [_LINE],
    "truncated": False,
    "cpu_us": 912,
    "wall_us": 2_140,
    "lock": "WzksN10:signature",
    "versions": _VERSIONS,
    "applied": None,
}
_CHECKED = {
    "verdict": "passed",
    "message": "",
    "module": "",
    "line": None,
    "log": [],
    "truncated": False,
    "cells": [
        {
            "implementation": None,
            "test": 7,
            "verdict": "failed",
            "reason": None,
            "message": "-1 == 5, where Add(2, 3) is -1",
            "module": "test",
            "line": 1,
            "expected": "5",
            "actual": "-1",
            "log": [_LINE],
            "truncated": False,
            "cpu_us": 1_400,
            "known": False,
        }
    ],
}
BY_HAND: dict[str, dict[str, Any]] = {
    "POST functions/{name}/call/": {
        "address": f"{API}/functions/Multiply/call/",
        "body": {"args": [6], "kwargs": {"b": 7}},
        "status": 200,
        "answer": _CALLED,
    },
    "POST functions/{name}/check/": {
        "address": f"{API}/functions/Add/check/",
        "body": {"implementation": "def Add(a, b):\n    return a - b\n"},
        "status": 200,
        "answer": _CHECKED,
    },
}


def name_of(operation: Any) -> str:
    return f"{operation.method} {operation.path.removeprefix(f'{API}/')}"


@pytest.fixture
def schema() -> dict[str, Any]:
    described: dict[str, Any] = json.loads(json.dumps(api.get_openapi_schema(path_params={})))
    return described


def test_every_operation_has_an_example(schema: dict[str, Any]) -> None:
    described = {name_of(one): one for one in operations(schema)}
    assert examples().keys() == described.keys()
    for name, example in examples().items():
        spec = operation_of(schema, name)
        has_content = "content" in spec["responses"][str(example["status"])]
        assert ("answer" in example) is (has_content and name not in FILES), name
        needs_body = spec.get("requestBody", {}).get("required", False)
        assert "body" in example or not needs_body, name
        for parameter in spec.get("parameters", ()):
            assert parameter["in"] != "path" or "example" in parameter, name


def test_examples_are_as_described(schema: dict[str, Any]) -> None:
    faults = []
    for name, example in examples().items():
        operation = operation_of(schema, name)
        for at, content in contents(operation, example):
            checked = {**content["schema"], "components": schema["components"]}
            errors = Draft202012Validator(checked).iter_errors(content["example"])
            faults += [f"{name} {at} {one.json_path}: {one.message[:200]}" for one in errors]
    assert faults == []


def test_examples_have_all_fields_of_answers(schema: dict[str, Any]) -> None:
    """A field that was added is missing in an old example."""
    missing = {}
    for name, example in examples().items():
        for at, content in contents(operation_of(schema, name), example):
            form = schema["components"]["schemas"].get(
                content["schema"].get("$ref", "").rsplit("/", 1)[-1], {}
            )
            fields = set(form.get("properties", {})) - set(content["example"] or ())
            if at == "answer" and fields and name not in DOCUMENTS:
                missing[name] = fields
    assert missing == {}


def operation_of(schema: dict[str, Any], name: str) -> dict[str, Any]:
    method, path = name.split(" ", 1)
    found: dict[str, Any] = schema["paths"][f"{API}/{path}"][method.lower()]
    return found


def contents(operation: dict[str, Any], example: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return the contents that have an example."""
    answer = operation["responses"][str(example["status"])]
    found = [("body", one) for one in operation.get("requestBody", {}).get("content", {}).values()]
    found += [("answer", one) for one in answer.get("content", {}).values()]
    return [(at, one) for at, one in found if "example" in one]


@pytest.mark.skipif("SOCIALCODE_RECORD" not in os.environ, reason="it changes the examples")
def test_record_the_examples_anew(db: None, schema: dict[str, Any]) -> None:
    found: dict[str, dict[str, Any]] = dict(BY_HAND)
    for role in TRIED:
        with transaction.atomic():
            found |= recorded_as(role, set(found), schema)
            connection.set_rollback(True)
    missing = {path_of(entry.name) for entry in api_entries()} - found.keys()
    assert missing == set()
    for file in FOLDER.glob("*.json"):
        file.unlink()
    for part in sorted({re.split(r"[ /]", name)[1] for name in found}):
        own = {name: found[name] for name in sorted(found) if re.split(r"[ /]", name)[1] == part}
        text = json.dumps(own, indent=1, ensure_ascii=False) + "\n"
        (FOLDER / f"{part}.json").write_text(text, "utf-8")
    examples.cache_clear()


def recorded_as(role: str, known: set[str], schema: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return examples of the operations that succeed for this role, besides those known."""
    world, found = World(role), {}
    for entry in api_entries():
        if (name := path_of(entry.name)) not in known:
            answer = world.request(entry)
            if answer.status_code < 300:
                found[name] = recorded(answer, body_of(world, entry.name, schema))
    return found


def body_of(world: World, name: str, schema: dict[str, Any]) -> Any:
    """Return what was sent, if the operation takes a body."""
    if "requestBody" not in operation_of(schema, path_of(name)):
        return None
    if name == "POST tokens/":
        return {"username": world.actor.get_username(), "password": "a long password"}
    return BODIES.get(name, {})


def recorded(answer: HttpResponse, body: Any) -> dict[str, Any]:
    request: Any = answer.wsgi_request  # type: ignore[attr-defined]
    found: dict[str, Any] = {"address": request.path_info, "status": answer.status_code}
    if body is not None:
        found["body"] = body
    if answer.get("Content-Type", "").startswith("application/json") and answer.content:
        found["answer"] = shortened(json.loads(answer.content))
    return found


def shortened(value: Any) -> Any:
    """Return the value with few items of long lists, and without what looks like a secret."""
    if isinstance(value, list):
        return [shortened(item) for item in value[:MOST_ITEMS]]
    if isinstance(value, dict):
        return {name: shortened(item) for name, item in value.items()}
    if isinstance(value, str):
        value = re.sub(r"sc_[\w-]{43}", "sc_the-text-of-the-token-is-shown-only-once", value)
        return value[:LONGEST_TEXT]
    return value
