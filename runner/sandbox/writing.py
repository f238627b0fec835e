"""Storing to attributes under names that are computed, or that Python itself reads."""

from __future__ import annotations

import collections
import types
from typing import Any

from runner.sandbox import names
from runner.sandbox.members import entry_of
from runner.sandbox.ownership import (
    ForbiddenAttribute,
    calling_module,
    check_written_name,
    guard_write,
    home_of,
    quick_types,
    user_types,
)

_Record = collections.namedtuple("_Record", "x")  # noqa: PYI024
# Their texts are all that can be changed of them.
_DOCUMENTED = (property, type(vars(_Record)["x"]))
_OF_INSTANCES = frozenset("__dict__ __doc__ __name__ __wrapped__ __isabstractmethod__".split())
_OF_FUNCTIONS = frozenset(
    "__name__ __qualname__ __module__ __doc__ __wrapped__ __annotations__ __defaults__ "
    "__kwdefaults__ __isabstractmethod__".split()
)
_OF_EXCEPTIONS = frozenset(
    "__cause__ __context__ __suppress_context__ __traceback__ __notes__".split()
)


def write_attribute(thing: Any, name: str, value: Any, /) -> None:
    """`setattr`."""
    setattr(thing, name, written(thing, name, value))


def delete_attribute(thing: Any, name: str, /) -> None:
    """`delattr`."""
    check_written_name(name)
    delattr(guard_write(thing), name)


def written(thing: Any, name: Any, value: Any, by: str = "") -> Any:
    """The value that may be stored under that name, after a look at all three.

    `by` is the module that does so; else, whose statement it is.
    """
    kind = type(thing)
    if name == "__doc__" and kind in _DOCUMENTED:
        return value
    guard_write(thing)
    if type(name) is not str or not names.is_dunder(name):
        check_written_name(name)
        return entry_of(thing, name, value) if issubclass(kind, type) else value
    if name not in names.WRITABLE_DUNDERS:
        raise ForbiddenAttribute(names.refusal(name))
    if name == "__doc__":
        return value
    # Another module's class or function is somebody else's, who relies on what it does.
    if home_of(thing) != (by or calling_module()):
        raise ForbiddenAttribute(f"`{name}` can be changed in the module that defines it only")
    if issubclass(kind, type) and name in names.DEFINABLE_DUNDERS:
        return entry_of(thing, name, value)
    if not _is_changeable(kind, name, value):
        raise ForbiddenAttribute(f"`{name}` of a {kind.__name__} can't be changed here")
    return dict(value) if type(value) is dict and name != "__dict__" else value


def _is_changeable(kind: type, name: str, value: Any) -> bool:
    if issubclass(kind, type):
        return name in ("__name__", "__qualname__")
    if kind is types.FunctionType:
        return name in _OF_FUNCTIONS
    if name == "__class__":
        # A method has looked at the class of its object once, when it began.
        stays_quick = kind not in quick_types or value in quick_types
        return issubclass(type(value), type) and value in user_types and stays_quick
    return name in _OF_INSTANCES or (issubclass(kind, BaseException) and name in _OF_EXCEPTIONS)
