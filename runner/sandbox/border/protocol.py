"""What one process may ask of another's objects: operations, special methods, public names."""

from __future__ import annotations

from enum import StrEnum


class Operation(StrEnum):
    """What a request asks of an object."""

    CALL = "call"
    GET = "get"
    SET = "set"
    DELETE = "delete"
    SPECIAL = "special"  # a special method
    METHOD = "method"  # a method of a class whose objects cross by value; the first argument is one


COMPARISONS = frozenset(f"__{name}__" for name in ("eq", "ne", "lt", "le", "gt", "ge"))
_BINARY = "add sub mul matmul truediv floordiv mod divmod pow lshift rshift and or xor".split()
ARITHMETIC = frozenset(f"__{prefix}{name}__" for name in _BINARY for prefix in ("", "r", "i"))
FORWARDED = frozenset(
    f"__{name}__"
    for name in """
    len bool iter next reversed getitem setitem delitem contains call enter exit aenter aexit
    repr str format bytes hash int float complex index round trunc floor ceil abs neg pos invert
    await aiter anext length_hint fspath
    """.split()
)
# Of generators and coroutines, whose end is told by an exception as well.
GENERATOR = frozenset({"send", "throw", "asend", "athrow"})
SPECIAL = FORWARDED | COMPARISONS | ARITHMETIC | GENERATOR
# Read like public names.
_READABLE = frozenset({"__name__", "__qualname__", "__doc__", "__module__"})
# Only in reply to one of these does the end of an iteration mean just that.
ITERATION = GENERATOR | {"__next__", "__anext__"}


def is_public(name: object) -> bool:
    """Tell whether an attribute of this name may be asked for."""
    return type(name) is str and (not name.startswith("_") or name in _READABLE)
