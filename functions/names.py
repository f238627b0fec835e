"""Rules for names of functions."""

import builtins
import keyword
import re
from collections.abc import Container

MAX_NAME_LENGTH = 80
# Names that every run provides without an import.
HELPERS = frozenset({"log", "check", "render", "data"})

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_BUILTINS = frozenset(dir(builtins))


def name_key(name: str) -> str:
    """Return the case-insensitive key of a name."""
    return name.lower()


def is_identifier(name: str) -> bool:
    """Return whether this is a valid name for a function; reserved ones are not checked."""
    return (
        len(name) <= MAX_NAME_LENGTH
        and _IDENTIFIER.fullmatch(name) is not None
        and not name.startswith("_")
    )


def find_fault(name: str) -> str:
    """Return a sentence why this is not a valid name for a function; empty if it is."""
    if not name:
        return "A function needs a name."
    if len(name) > MAX_NAME_LENGTH:
        return f"A name has at most {MAX_NAME_LENGTH} characters; this one has {len(name)}."
    if name.startswith("_") and _IDENTIFIER.fullmatch(name):
        return "A name begins with a letter; names with an underscore are private to a module."
    if not is_identifier(name):
        return (
            f"{name!r} is not a valid name: "
            "use letters from A to Z, digits and underscores, beginning with a letter."
        )
    return ""


def find_reservation(name: str, importable: Container[str]) -> str:
    """Return a sentence why this identifier is reserved; empty if it isn't."""
    if keyword.iskeyword(name):
        return f"`{name}` is a keyword of Python."
    if name in _BUILTINS:
        return f"`{name}` is built into Python."
    if name in HELPERS:
        return f"`{name}` is a helper that every run has."
    if name in importable:
        return f"`{name}` is a module that code imports."
    return ""
