"""Examples of all operations, for the OpenAPI description and its page.

Each JSON file has those below one path, by method and route. They are recorded from answers:
`tests/functions/api/test_examples.py` says how.
"""

import functools
import json
import re
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent


@functools.cache
def examples() -> dict[str, dict[str, Any]]:
    """Return the examples: `address`, `status`, and as far as there are any `body` and `answer`."""
    found: dict[str, dict[str, Any]] = {}
    for file in sorted(FOLDER.glob("*.json")):
        found.update(json.loads(file.read_text("utf-8")))
    return found


def name_examples(schema: dict[str, Any]) -> None:
    """Add the examples to an OpenAPI description, in place."""
    for path, operations in schema["paths"].items():
        for method, operation in operations.items():
            example = examples().get(f"{method.upper()} {path.partition('/api/v1/')[2]}")
            if example is not None:
                _add(path, operation, example)


def _add(path: str, operation: dict[str, Any], example: dict[str, Any]) -> None:
    values = re.fullmatch(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", path), example["address"])
    for parameter in operation.get("parameters", ()):
        if parameter["in"] == "path" and values is not None:
            text = values[parameter["name"]]
            is_number = parameter["schema"].get("type") == "integer"
            parameter["example"] = int(text) if is_number else text
    if "body" in example:
        for content in operation.get("requestBody", {}).get("content", {}).values():
            content["example"] = example["body"]
    if "answer" in example:
        responses = operation["responses"]
        status = example["status"]
        answer = responses.get(status) or responses[str(status)]
        for content in answer.get("content", {}).values():
            content["example"] = example["answer"]
