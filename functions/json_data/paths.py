"""Paths in templates: `$.address.zip`, `$.tags[0]`, `$["odd name"]`, `$root.name`."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from functions.json_data.values import canonical

Step = str | int
MAX_STEPS = 32
MISSING = object()
_ROOT = re.compile(r"\$(root)?")
_STEP = re.compile(
    r"\.(?P<name>[A-Za-z_][A-Za-z0-9_-]*)"
    r"|\[(?P<index>-?[0-9]{1,9})\]"
    r'|\[(?P<quoted>"(?:[^"\\]|\\.)*")\]'
)


class InvalidPath(ValueError):
    """The text is not a path."""


@dataclass(frozen=True, slots=True)
class Path:
    """Steps from the current value, or with `is_absolute` from the whole document."""

    steps: tuple[Step, ...]
    is_absolute: bool = False

    def __str__(self) -> str:
        return ("$root" if self.is_absolute else "$") + "".join(_shown(one) for one in self.steps)

    def find(self, current: Any, document: Any) -> Any:
        """Return the value at this path; MISSING if there is none."""
        value = document if self.is_absolute else current
        for step in self.steps:
            value = _next(value, step)
            if value is MISSING:
                break
        return value


def parse_path(text: str) -> Path:
    """Return the path. Raises InvalidPath."""
    root = _ROOT.match(text)
    if root is None:
        raise InvalidPath(text)
    steps = tuple(_steps(text, root.end()))
    if len(steps) > MAX_STEPS:
        raise InvalidPath(text)
    return Path(steps, is_absolute=root[1] is not None)


def _steps(text: str, at: int) -> Iterator[Step]:
    while at < len(text):
        found = _STEP.match(text, at)
        if found is None:
            raise InvalidPath(text)
        at = found.end()
        if found["index"] is not None:
            yield int(found["index"])
        else:
            yield found["name"] or _unquoted(found["quoted"])


def _unquoted(quoted: str) -> str:
    try:
        return str(json.loads(quoted))
    except ValueError as error:
        raise InvalidPath(quoted) from error


def _shown(step: Step) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]*", step) else f"[{canonical(step)}]"


def _next(value: Any, step: Step) -> Any:
    if isinstance(step, str):
        return value.get(step, MISSING) if isinstance(value, dict) else MISSING
    if isinstance(value, list) and -len(value) <= step < len(value):
        return value[step]
    return MISSING
