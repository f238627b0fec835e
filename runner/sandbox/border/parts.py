"""What is in a value beside plain data."""

from __future__ import annotations

import enum
import types
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from runner.sandbox.border.containers import TAGS, VIEWS
from runner.sandbox.border.plain import ATOMS, DISMANTLE, NAME_OF
from runner.sandbox.border.protocol import is_public

_DATA = (*ATOMS, *DISMANTLE, *TAGS)
_PLAIN = frozenset(_DATA)
_METHODS = frozenset(
    name
    for kind in (str, bytes, int, float, complex, list, tuple, dict, set, frozenset)
    for name in dir(kind)
    if is_public(name) and callable(getattr(kind, name))
)
_ITEMS = (list, tuple, set, frozenset, deque, *VIEWS)


def parts_in(values: Sequence[Any]) -> Iterator[Any]:
    """Give what is no plain data in values, in containers among them, and in their attributes."""
    pending, seen = [*values], set()
    while pending:
        each = pending.pop()
        kind = type(each)
        if kind in ATOMS or id(each) in seen:
            continue
        seen.add(id(each))
        if kind not in _PLAIN:
            yield each
        if issubclass(kind, _ITEMS):
            pending += each
        elif issubclass(kind, dict):
            pending += each.keys()
            pending += (v for k, v in each.items() if not _is_named(v, k))
        is_data = issubclass(kind, _DATA) and not issubclass(kind, enum.Enum)
        if issubclass(kind, BaseException) or (is_data and _is_foreign(kind)):
            pending += getattr(each, "__dict__", {}).values()
        if issubclass(kind, BaseException):
            pending += each.args


def _is_named(thing: Any, key: Any) -> bool:
    """Tell whether this is a builtin under its own name, as in what `vars` gives."""
    return type(key) is str and NAME_OF.get(id(thing)) == key


def _is_foreign(cls: Any) -> bool:
    """Tell whether a class stands for one of another process."""
    return getattr(cls, "_class_origin", None) is not None


def unpromised(value: Any) -> Any:
    """Return what may not be in a result that is to be plain data, or None.

    Objects of classes that extend a type of data are plain if they bring no method that some other
    data have. What a test has passed is welcome in a container.
    """
    kind = type(value)
    if not issubclass(kind, _DATA) and kind is not types.CoroutineType:
        return value
    found = (each for each in parts_in([value]) if each is not value or _is_foreign(kind))
    return next(filter(_may_pretend, found), None)


def _may_pretend(part: Any) -> bool:
    kind = type(part)
    if isinstance(part, type):
        return _is_foreign(part)
    if issubclass(kind, types.CoroutineType | types.ModuleType):
        return True
    if not _is_foreign(kind):
        return False
    return not issubclass(kind, (*_DATA, enum.Enum)) or any(map(_hides_data, kind.__mro__))


def _hides_data(cls: type) -> bool:
    """Tell whether a class of another process brings a method that plain data have."""
    brought = _METHODS & vars(cls).keys() if _is_foreign(cls) else ()
    return any(hasattr(vars(cls)[name], "__get__") for name in brought)
