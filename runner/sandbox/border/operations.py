"""Performs operations requested by the other process on objects of this one."""

from __future__ import annotations

import copy
import functools
import operator
import sys
import types
import unittest
from collections.abc import Callable, Sequence
from typing import Any
from unittest import mock

from runner.sandbox.border.classes import Kind, base_of, kind_of
from runner.sandbox.border.plain import NAME_OF, Malformed
from runner.sandbox.border.protocol import OF_FUNCTIONS, OF_OBJECTS, SPECIAL, Operation, is_public
from runner.sandbox.border.proxies import Mirror, is_proxy, vars_of
from runner.sandbox.border.signatures import describe_function
from runner.sandbox.border.states import describe_fields, is_method

# Objects of these types could give access to the judge.
_CLOSED = (
    *(unittest.TestCase, unittest.TestResult),
    *(types.ModuleType, types.FrameType, types.CodeType),
)
_OFFERED = SPECIAL | OF_FUNCTIONS | OF_OBJECTS
# The attributes of mocks, by which a test checks calls; and those that may be read.
_OF_MOCKS = frozenset(dir(mock.MagicMock())) | frozenset(dir(mock.AsyncMock()))
_READABLE_OF_MOCKS = frozenset({"called", "call_count", "return_value"})
# Attributes of these are global state, unless they are the program's own.
_SHARED = (type, types.FunctionType, types.BuiltinFunctionType, types.MethodType)
# The attribute with pytest's marks.
_MARKS = "pytestmark"


def perform(
    operation: object, target: Any, name: str, args: list[Any], keywords: object, *, is_judge: bool
) -> Any:
    """Perform an operation and return its result; raises its exceptions, and Malformed.

    In a judge, defaults of functions are hidden, because they may contain expected values; so are
    the recorded calls of mocks; and methods of objects can't be replaced.
    """
    match operation:
        case Operation.CALL:
            return _call(target, args, keywords)
        case Operation.SPECIAL if name in _OFFERED:
            return _special(target, name, args, is_judge=is_judge)
        case Operation.GET if is_public(name):
            _check_open(target, name, is_judge=is_judge)
            return getattr(target, name)
        case Operation.SET if is_public(name) and len(args) == 1:
            _check_settable(target, name, *args, is_judge=is_judge)
            return setattr(target, name, args[0])
        case Operation.DELETE if is_public(name):
            _check_settable(target, name, is_judge=is_judge)
            return delattr(target, name)
        case Operation.METHOD if is_public(name) or name in ("__repr__", "__str__"):
            return _call_method(target, name, args, keywords)
    raise Malformed("an unknown operation")


def _content(target: object) -> dict[str, Any]:
    """Return the public attributes; raises AttributeError without a `__dict__`."""
    hidden = _OF_MOCKS if isinstance(target, mock.NonCallableMock) else ()
    try:
        content = vars(target)
    except TypeError:
        raise AttributeError(f"{type(target).__name__} object has no __dict__") from None
    return {name: v for name, v in content.items() if is_public(name) and name not in hidden}


# Special methods that can't just be looked up on the class, by name and number of arguments.
_SPECIAL: dict[tuple[str, int], Callable[..., Any]] = {
    ("__iter__", 0): iter,
    ("__contains__", 1): operator.contains,
    ("__reversed__", 0): reversed,
    ("__getitem__", 1): operator.getitem,
    ("__dict__", 0): _content,
    ("__dict__", 1): lambda target, name: _content(target)[name],
    ("__copy__", 0): copy.copy,
    ("__deepcopy__", 0): copy.deepcopy,
    ("__dataclass_fields__", 0): describe_fields,
    ("__annotations__", 0): lambda target: vars_of(target)["__annotations__"],
}


def _special(target: Any, name: str, args: list[Any], *, is_judge: bool) -> Any:
    """Call a special method, looked up on the class as Python does."""
    if name in OF_OBJECTS:
        _check_open(target, name, is_judge=is_judge)
    if name in OF_FUNCTIONS and not args:
        return describe_function(target, tells_defaults=not is_judge)
    if (function := _SPECIAL.get((name, len(args)))) is not None:
        return function(target, *args)
    for cls in type(target).__mro__:
        if name in vars_of(cls):
            found = vars_of(cls)[name]
            bind = getattr(type(found), "__get__", None)
            return (found if bind is None else bind(found, target, type(target)))(*args)
    raise AttributeError(f"{type(target).__name__} has no {name}")


def _call(target: Any, args: list[Any], keywords: object) -> Any:
    if not keywords:
        return target(*args)
    if type(keywords) is not list or len(keywords) > len(args):
        raise Malformed("more keywords than arguments")
    if not {str}.issuperset(map(type, keywords)):
        raise Malformed("a keyword is a text")
    many = len(args) - len(keywords)
    return target(*args[:many], **dict(zip(keywords, args[many:], strict=True)))


def _call_method(cls: Any, name: str, args: list[Any], keywords: object) -> Any:
    if not isinstance(cls, type) or not args or kind_of(cls) is Kind.OBJECT:
        raise Malformed("a method of no class, or of no object")
    if not isinstance(args[0], cls) or (is_public(name) and hasattr(base_of(cls), name)):
        raise Malformed("a method of another class than the object's")
    found = getattr(args[0], name)
    is_property = isinstance(getattr(cls, name, None), property)
    return found if is_property else _call(found, args[1:], keywords)


def _check_open(target: object, name: str, *, is_judge: bool) -> None:
    if isinstance(target, _CLOSED) or (is_judge and _is_closed_by_test(target, name)):
        raise AttributeError(f"{name} of this object can't be read from another process")


def _is_closed_by_test(target: object, name: str) -> bool:
    if isinstance(target, mock.NonCallableMock):
        return name in _OF_MOCKS and name not in _READABLE_OF_MOCKS
    return isinstance(target, functools.partial)


def _check_settable(target: object, name: str, *values: Any, is_judge: bool) -> None:
    _check_open(target, name, is_judge=is_judge)
    is_of_test = is_judge and _is_kept(target, name, values)
    if is_of_test or (isinstance(target, _SHARED) and not _is_of_program(target)):
        raise AttributeError(f"{name} can't be changed from another process")


def _is_kept(target: object, name: str, values: Sequence[Any]) -> bool:
    """Return whether this attribute of a test's object can't be changed.

    Foreign objects can't replace methods or mocks, and attributes of callables and their classes
    can't be changed, because they may record calls.
    """
    own = getattr(target, "__dict__", {})
    is_mocked = any(isinstance(each, mock.NonCallableMock) for each in (target, own.get(name)))
    if name == _MARKS or (is_mocked and name in _OF_MOCKS):
        return True
    if is_mocked:
        return any(map(_is_foreign, values)) or _are_of_one_mock(target, *values) or not values
    cls = target if isinstance(target, type) else type(target)
    if is_method(cls, name):
        return any(map(_is_foreign, values)) if values else isinstance(target, type)
    return "__call__" in dir(cls) and (name in own or hasattr(cls, name))


def _are_of_one_mock(*things: object) -> bool:
    """Return whether these are parts of the same mock."""
    return len(things) > 1 and len({id(_whole_of(each)) for each in things}) == 1


def _whole_of(thing: object) -> object:
    while (above := getattr(thing, "__dict__", {}).get("_mock_new_parent")) is not None:
        thing = above
    return thing


def _is_foreign(value: object) -> bool:
    """Return whether this is a proxy, a builtin or a mirror, and so not this process's own."""
    return is_proxy(value) or id(value) in NAME_OF or isinstance(value, Mirror)


def _is_of_program(target: Any) -> bool:
    """Return whether a class or function is defined in a module of the program."""
    if isinstance(target, type) and issubclass(target, _CLOSED):
        return False
    module = sys.modules.get(target.__module__)
    return type(target) is not types.MethodType and module is not None and module.__spec__ is None
