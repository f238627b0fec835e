"""Rules for names of functions."""

import re

MAX_NAME_LENGTH = 80
# Names that every run provides without an import.
HELPERS = frozenset({"log", "check", "render", "data"})

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


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
