"""PURE: names that code reads, and that nothing binds."""

import dis
import warnings
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from types import CodeType

from functions.source.scopes import BUILTINS, RUN_HELPERS, scope_of

MAX_FOUND = 20
# Set by Python in modules and in bodies of classes.
_PRESET = frozenset({"__file__", "__annotations__", "__module__", "__qualname__", "__class__"})
_READS = frozenset({"LOAD_NAME", "LOAD_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS"})


@dataclass(frozen=True, slots=True)
class UnboundName:
    """The first use of a name; line and column from 1. `similar` is a known name, or empty."""

    name: str
    line: int
    column: int
    similar: str


def unbound_names(code: str, received: Collection[str]) -> list[UnboundName]:
    """Return the names that would raise NameError, in source order.

    `received` are the names that the code gets from the functions that it marks. Empty if the code
    binds names that can't be determined. Raises SyntaxError.
    """
    source = code.replace("\r\n", "\n").replace("\r", "\n")
    scope = scope_of(source)
    known = scope.bound | BUILTINS | RUN_HELPERS | _PRESET | set(received)
    missing = scope.used - known
    if scope.is_open or not missing:
        return []
    lines = source.split("\n")
    first: dict[str, UnboundName] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = compile(source, "code", "exec", dont_inherit=True)
    for name, line, offset in sorted(_reads(module), key=lambda read: read[1:]):
        if name in missing and name not in first:
            before = lines[line - 1].encode()[:offset].decode(errors="ignore")
            similar = get_close_matches(name, known, n=1, cutoff=0.8)
            first[name] = UnboundName(name, line, len(before) + 1, "".join(similar))
    return list(first.values())[:MAX_FOUND]


def _reads(code: CodeType) -> Iterator[tuple[str, int, int]]:
    """Yield each global name that is read, with its line and its offset in bytes."""
    for step in dis.get_instructions(code):
        place = step.positions
        if step.opname in _READS and place and place.lineno and place.col_offset is not None:
            yield step.argval, place.lineno, place.col_offset
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from _reads(part)
