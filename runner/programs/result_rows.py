"""Converts outcomes of the sandbox to columns of results and payloads of events."""

import math
from collections.abc import Sequence
from typing import Any

from runner.sandbox import LogLine, Outcome

_UNSTORABLE = {0: "\ufffd", **dict.fromkeys(range(0xD800, 0xE000), "\ufffd")}


def storable(value: Any) -> Any:
    """Return the value with everything replaced that PostgreSQL's text and JSON can't store.

    That is NUL, lone surrogates and non-finite numbers; users' code can produce all of them.
    """
    if isinstance(value, str):
        return value.translate(_UNSTORABLE)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {storable(str(key)): storable(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [storable(entry) for entry in value]
    return value


def log_rows(lines: Sequence[LogLine]) -> list[list[Any]]:
    """Return log lines as results and events have them."""
    return [[round(line.ms, 1), line.stream, storable(line.text)] for line in lines]


def result_fields(outcome: Outcome) -> dict[str, Any]:
    """Return the columns of the result row."""
    return {
        "verdict": str(outcome.verdict),
        "message": storable(outcome.message),
        "module": storable(outcome.module or ""),
        "line": outcome.line,
        "trace": storable(outcome.trace),
        "cases": [
            [storable(case.name), str(case.verdict), storable(case.message), case.line]
            for case in outcome.cases
        ],
        "log": log_rows(outcome.log),
        "truncated": outcome.truncated,
        "loaded": outcome.loaded,
        "value": storable(outcome.value),
        "cpu_us": outcome.cpu_us,
        "wall_us": outcome.wall_us,
        "peak_bytes": outcome.peak_bytes,
    }
