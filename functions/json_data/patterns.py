"""Regular expressions of schemas, and a bound on the work of finding them."""

import importlib
import re
from typing import Any

from functions.errors import gettext as _

MAX_LENGTH = 500
# A pattern may be tried on texts of up to this length; `ways` for it are limited.
MAX_TEXT = 256
MAX_WAYS = 300**3  # three repetitions one after the other

# Private, but the same in all versions that we support; there is no other parser of patterns.
_parser = importlib.import_module("re._parser")


def find_fault(pattern: str) -> str:
    """Return why a pattern is refused: it is invalid, or may take long; empty if it isn't."""
    if len(pattern) > MAX_LENGTH:
        return _("A pattern has at most %(limit)s characters.") % {"limit": MAX_LENGTH}
    try:
        re.compile(pattern)
        ways = count_ways(pattern, MAX_TEXT)
    except (re.error, OverflowError, RecursionError) as error:
        return _("This pattern is invalid: %(fault)s.") % {"fault": error}
    if ways > MAX_WAYS:
        return _(
            "This pattern may take too long. Begin it with ^, and don't repeat what contains "
            "repetitions."
        )
    return ""


def count_ways(pattern: str, length: int) -> int:
    """Return in how many ways a pattern can be tried on a text, at most; beyond the limit any.

    That bounds the steps of `re.search`, which tries them one after the other.
    """
    parsed = _parser.parse(pattern)
    is_anchored = bool(parsed.data) and str(parsed.data[0][0]) == "AT"
    is_anchored = is_anchored and str(parsed.data[0][1]) in ("AT_BEGINNING", "AT_BEGINNING_STRING")
    return _ways(parsed.data, length) * (1 if is_anchored else max(length, 1))


def _ways(nodes: Any, length: int) -> int:
    ways = 1
    for operation, argument in nodes:
        ways = min(ways * _ways_of_node(str(operation), argument, length), MAX_WAYS + 1)
    return ways


def _ways_of_node(operation: str, argument: Any, length: int) -> int:
    match operation:
        case "SUBPATTERN":
            return _ways(argument[-1], length)
        case "BRANCH":
            return sum(_ways(branch, length) for branch in argument[1])
        case "MAX_REPEAT" | "MIN_REPEAT":
            least, most, body = argument
            return _ways_of_repeat(int(least), min(int(most), length), _ways(body, length))
        case "LITERAL" | "NOT_LITERAL" | "IN" | "ANY" | "AT" | "RANGE" | "CATEGORY":
            return 1
    return MAX_WAYS + 1  # references back, looks ahead and behind, conditions


def _ways_of_repeat(least: int, most: int, once: int) -> int:
    """Return the ways of `least` to `most` repetitions of what has `once` ways."""
    if once == 1:
        return max(most - least, 0) + 1
    total, ways = 0, 1
    for count in range(most + 1):
        total += ways if count >= least else 0
        ways *= once
        if total + ways > MAX_WAYS:
            return MAX_WAYS + 1
    return max(total, 1)
