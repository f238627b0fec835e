"""What one process may ask of another's objects: operations, special methods, public names.

A request is `["?", number, operation, target, name, keywords, written, *values, line]`, an answer
`["=", number, *values, written]`, and of an exception `["!", ...]` likewise. `values` are items,
heap, descriptions of classes, and releases. `written` are containers that have changed, of the
request that is answered, or in whose course this one is asked: `[place, entry]` with an entry as in
a heap. A request `["&", ...]` comes from within a running event loop. While a thread waits for an
answer it answers what is asked on its line, so calls go back and forth.

Other messages are notices: `["threads"]`, `["closed", line]` and `["ready", line]` (an event loop
that is run from the other side has something to do).
"""

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
    AWAIT = "await"  # start to await an object
    RESULT = "result"  # of an object that was awaited
    CANCEL = "cancel"  # awaiting it
    RUN = "run"  # a step of the event loop


OF_LOOPS = frozenset({Operation.AWAIT, Operation.RESULT, Operation.CANCEL, Operation.RUN})
COMPARISONS = frozenset(f"__{name}__" for name in ("eq", "ne", "lt", "le", "gt", "ge"))
_BINARY = "add sub mul matmul truediv floordiv mod divmod pow lshift rshift and or xor".split()
ARITHMETIC = frozenset(f"__{prefix}{name}__" for name in _BINARY for prefix in ("", "r", "i"))
FORWARDED = frozenset(
    f"__{name}__"
    for name in """
    len bool iter next reversed getitem setitem delitem contains call enter exit aenter aexit
    repr str format bytes hash int float complex index round trunc floor ceil abs neg pos invert
    await aiter anext length_hint fspath dir get set delete set_name
    """.split()
)
# Of generators and coroutines, whose end is told by an exception as well.
_STEPS = frozenset({"send", "throw", "asend", "athrow"})
GENERATOR = _STEPS | {"close", "aclose"}
# These return what is to be awaited.
ASYNCHRONOUS = frozenset({"__anext__", "asend", "athrow", "aclose", "__aenter__", "__aexit__"})
# Of classes.
OF_CLASSES = frozenset({"__instancecheck__", "__subclasscheck__"})
# Of functions, what `inspect` asks for.
OF_FUNCTIONS = frozenset({"__code__", "__signature__"})
# Of any object, what `vars` and `copy` ask for, and `dataclasses`.
OF_OBJECTS = frozenset({"__dict__", "__copy__", "__deepcopy__", "__dataclass_fields__"})
SPECIAL = FORWARDED | COMPARISONS | ARITHMETIC | GENERATOR | OF_CLASSES
# Read like public names.
_READABLE = frozenset(
    f"__{name}__" for name in ("name", "qualname", "doc", "module", "wrapped", "match_args")
)
# Only in reply to one of these does the end of an iteration mean just that.
ITERATION = _STEPS | {"__next__", "__anext__"}
ENTERING = frozenset({"__enter__", "__aenter__"})
LEAVING = frozenset({"__exit__", "__aexit__"})
# These go on with a call that has returned: what was sent with it may change.
RESUMING = ITERATION | GENERATOR | ENTERING | LEAVING | {"__await__"}


def is_public(name: object) -> bool:
    """Tell whether an attribute of this name may be asked for."""
    return type(name) is str and (not name.startswith("_") or name in _READABLE)
