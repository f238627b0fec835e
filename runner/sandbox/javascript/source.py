"""How the source of a module says that it is JavaScript: it begins with a mark.

No module in Python can begin with it, and it adds no line.
"""

from __future__ import annotations

_MARK = "/* javascript */"


def as_module(code: str) -> str:
    """Return the source of a module that has this code in JavaScript."""
    return _MARK + code


def is_javascript(source: str) -> bool:
    """Return whether the source of a module is JavaScript."""
    return source.startswith(_MARK)


def code_of(source: str) -> str:
    """Return the code of a module in either language, as its author wrote it."""
    return source.removeprefix(_MARK)
