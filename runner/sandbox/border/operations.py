"""Operations that the other process asks for, on objects of this one."""

from __future__ import annotations

import functools
import types
import unittest
from collections.abc import Sequence
from typing import Any
from unittest import mock

from runner.sandbox.border.classes import Kind, is_of_data, kind_of
from runner.sandbox.border.plain import NAME_OF, Malformed
from runner.sandbox.border.protocol import OF_FUNCTIONS, SPECIAL, Operation, is_public
from runner.sandbox.border.proxies import Mirror, is_proxy
from runner.sandbox.border.signatures import describe_function
from runner.sandbox.border.states import is_method

# These lead from an object to what judges it.
_CLOSED = (
    unittest.TestCase,
    unittest.TestResult,
    types.ModuleType,
    types.FrameType,
    types.CodeType,
)
# By these a test expects calls.
_OF_MOCKS = frozenset(dir(mock.MagicMock)) | frozenset(dir(mock.AsyncMock))
# Whatever sets something on these changes it for all others.
_SHARED = (type, types.FunctionType, types.BuiltinFunctionType, types.MethodType)


def perform(
    operation: object,
    target: Any,
    name: object,
    args: list[Any],
    keywords: object,
    *,
    is_judge: bool = False,
) -> Any:
    """Perform an operation and return what it gives; raises what it raises, and Malformed.

    A judge's functions don't tell their defaults, among which what it expects may be; its mocks
    not how they were called, and nobody replaces methods of its objects.
    """
    match operation:
        case Operation.CALL:
            return _call(target, args, keywords)
        case Operation.SPECIAL if name in SPECIAL or name in OF_FUNCTIONS:
            return _special(target, str(name), args, is_judge=is_judge)
        case Operation.GET if is_public(name):
            _check_open(target, str(name), is_judge=is_judge)
            return getattr(target, str(name))
        case Operation.SET if is_public(name) and len(args) == 1:
            _check_settable(target, str(name), *args, is_judge=is_judge)
            return setattr(target, str(name), args[0])
        case Operation.DELETE if is_public(name):
            _check_settable(target, str(name), is_judge=is_judge)
            return delattr(target, str(name))
        case Operation.METHOD if is_public(name) or name in ("__repr__", "__str__"):
            return _call_method(target, str(name), args, keywords)
    raise Malformed("an unknown operation")


def _special(target: Any, name: str, args: list[Any], *, is_judge: bool) -> Any:
    """Call a special method as Python does, which looks it up on the class."""
    match name, args:
        case "__iter__", []:
            return iter(target)
        case "__getitem__", [key]:
            return target[key]
        case "__code__" | "__signature__", []:
            return describe_function(target, name, tells_defaults=not is_judge)
        case "__instancecheck__", [each] if isinstance(target, type):
            return isinstance(each, target)
        case "__subclasscheck__", [type() as each] if isinstance(target, type):
            return issubclass(each, target)
    for cls in type(target).__mro__:
        if name in vars(cls):
            found = vars(cls)[name]
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
    if not isinstance(args[0], cls) or is_of_data(cls, name):
        raise Malformed("a method of another class than the object's")
    found = getattr(args[0], name)
    is_property = isinstance(getattr(cls, name, None), property)
    return found if is_property else _call(found, args[1:], keywords)


def _check_open(target: object, name: str, *, is_judge: bool) -> None:
    if isinstance(target, _CLOSED) or (is_judge and _is_closed_by_test(target, name)):
        raise AttributeError(f"{name} of this object can't be read from another process")


def _is_closed_by_test(target: object, name: str) -> bool:
    if isinstance(target, mock.NonCallableMock):
        return name in _OF_MOCKS
    return isinstance(target, functools.partial)


def _check_settable(target: object, name: str, *values: Any, is_judge: bool) -> None:
    _check_open(target, name, is_judge=is_judge)
    if isinstance(target, _SHARED) or (is_judge and _is_kept(target, name, values)):
        raise AttributeError(f"{name} can't be changed from another process")


def _is_kept(target: object, name: str, values: Sequence[Any]) -> bool:
    """Tell whether a test relies on this: a method or mock, that a foreign object would play."""
    if not any(map(_is_foreign, values)):
        return False
    held = getattr(target, "__dict__", {}).get(name)
    is_mocked = any(isinstance(each, mock.NonCallableMock) for each in (target, held))
    return is_mocked or is_method(type(target), name)


def _is_foreign(value: object) -> bool:
    """Tell whether this may be called, and is no function or object of this process's own."""
    return is_proxy(value) or id(value) in NAME_OF or isinstance(value, Mirror)
