"""The parameters of functions: names of those in JavaScript, numbers of those in Python."""

from __future__ import annotations

import inspect
import re
from typing import Any

_PARAMETERS = re.compile(
    r"^(?:async\s+)?(?:function\s*\*?\s*)?[\w$]*\s*\(([^()]*)\)|^([\w$]+)\s*=>"
)
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def parameters_of(source: str) -> list[str]:
    """Return the names of a function's parameters, from its source in JavaScript."""
    found = _PARAMETERS.match(source)
    listed = (found[1] or found[2] or "") if found else ""
    return [each.partition("=")[0].strip() for each in listed.split(",")]


def most_arguments(thing: Any) -> int | None:
    """Return how many arguments a function takes; None if any number, or if that is unknown.

    Methods such as `map` of JavaScript pass more than most functions want.
    """
    try:
        parameters = inspect.signature(thing).parameters.values()
    except Exception:
        return None
    kinds = [each.kind for each in parameters]
    if inspect.Parameter.VAR_POSITIONAL in kinds:
        return None
    return sum(kind in _POSITIONAL for kind in kinds)
