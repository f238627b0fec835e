"""Which names a function may have."""

import builtins
import keyword
import re
from collections.abc import Container

from functions.errors import Complaint

LONGEST_NAME = 80
# What every run finds without importing anything.
HELPERS = frozenset({"log", "check", "render", "data"})

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_BUILTINS = frozenset(dir(builtins))


def name_key(name: str) -> str:
    """Return what two spellings of one name have in common."""
    return name.lower()


def is_identifier(name: str) -> bool:
    """Tell whether code could use this as a function's name, reserved or not."""
    return (
        len(name) <= LONGEST_NAME
        and _IDENTIFIER.fullmatch(name) is not None
        and not name.startswith("_")
    )


def find_fault(name: str) -> str:
    """Say in a sentence why this is no identifier for a function; empty if it is one."""
    if not name:
        return "A function needs a name."
    if len(name) > LONGEST_NAME:
        return f"A name has at most {LONGEST_NAME} characters; this one has {len(name)}."
    if name.startswith("_") and _IDENTIFIER.fullmatch(name):
        return "A name begins with a letter: with an underscore it would be private to its module."
    if not is_identifier(name):
        return (
            f"{name!r} is no name that code could use: "
            "take letters from A to Z, digits and underscores, beginning with a letter."
        )
    return ""


def find_reservation(name: str, importable: Container[str]) -> str:
    """Say why no function may take this identifier; empty if one may."""
    if keyword.iskeyword(name):
        return f"`{name}` is a keyword of Python."
    if name in _BUILTINS:
        return f"`{name}` is built into Python."
    if name in HELPERS:
        return f"`{name}` is a helper that every run has."
    if name in importable:
        return f"`{name}` is a module that code imports."
    return ""


def check_name(name: str, *, importable: Container[str]) -> Complaint | None:
    """Find what keeps a function from having this name; `importable` are names of modules."""
    if reservation := find_reservation(name, importable):
        return Complaint("name", "reserved_name", f"{reservation} Choose another name.")
    if fault := find_fault(name):
        return Complaint("name", "invalid_name", fault)
    return None
