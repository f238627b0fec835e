"""Signatures and kinds of functions in another process, for `inspect`."""

from __future__ import annotations

import ast
import inspect
from types import CodeType, MethodType
from typing import Any

from runner.sandbox.border.proxies import Member, origin_of

_NOTHING = inspect.Parameter.empty
_KINDS = {kind.name: kind for kind in inspect._ParameterKind}  # noqa: SLF001
# The flags of code objects by which `inspect` distinguishes functions.
_FLAGS = {
    inspect.CO_GENERATOR: inspect.isgeneratorfunction,
    inspect.CO_COROUTINE: inspect.iscoroutinefunction,
    inspect.CO_ASYNC_GENERATOR: inspect.isasyncgenfunction,
}


def describe_function(function: Any, *, tells_defaults: bool) -> list[Any]:
    """Return a function's flags and signature for another process, as plain parts.

    Hidden defaults are replaced by an ellipsis. Raises ValueError if a function has no signature.
    """
    signature = inspect.signature(function)
    parameters = [
        [
            each.name,
            each.kind.name,
            _given(each.default if tells_defaults or each.default is _NOTHING else ...),
            _given(each.annotation),
        ]
        for each in signature.parameters.values()
    ]
    flags = [flag for flag, is_one in _FLAGS.items() if is_one(function)]
    return [flags, parameters, _given(signature.return_annotation)]


def _given(value: Any) -> list[Any]:
    return [] if value is _NOTHING else [value]


_HARMLESS = (
    *(ast.Expression, ast.Name, ast.Attribute, ast.Subscript, ast.Tuple, ast.List, ast.Constant),
    *(ast.BinOp, ast.BitOr, ast.Load),
)


def _is_harmless(annotation: Any) -> bool:
    """Return whether evaluating an annotation runs no code of the other side.

    `typing.get_type_hints` evaluates texts, and texts inside of these.
    """
    if not isinstance(annotation, str):
        return True
    try:
        parts = [*ast.walk(ast.parse(str(annotation), mode="eval"))]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    inner = [part.value for part in parts if isinstance(part, ast.Constant)]
    return all(isinstance(part, _HARMLESS) for part in parts) and all(map(_is_harmless, inner))


# --- attributes of proxies ------------------------------------------------------------------------


def _told(proxy: Any) -> tuple[Any, inspect.Signature]:
    """Return flags and signature from untrusted parts; raises ValueError."""
    try:
        flags, parts, result = origin_of(proxy).special("__signature__")
        parameters = [
            inspect.Parameter(name, _KINDS[kind], default=_value(default), annotation=_said(said))
            for name, kind, default, said in parts
        ]
        return flags, inspect.Signature(parameters, return_annotation=_said(result))
    except (TypeError, KeyError, IndexError) as error:
        raise ValueError("a signature of another form") from error


def _value(given: Any) -> Any:
    return given[0] if given else _NOTHING


def _said(annotation: Any) -> Any:
    return _value(annotation) if all(map(_is_harmless, annotation)) else _NOTHING


def _nothing() -> None:
    pass


def _code(self: Any) -> CodeType:
    """Return a code object with the function's flags and parameters, which does nothing."""
    told, signature = _told(self)
    names: dict[str, list[str]] = {each: [] for each in _KINDS}
    for each in signature.parameters.values():
        names[each.kind.name].append(each.name)
    positional, either, more, keywords, more_keywords = names.values()
    flags = inspect.CO_VARARGS * bool(more) | inspect.CO_VARKEYWORDS * bool(more_keywords)
    return _nothing.__code__.replace(
        co_argcount=len(positional + either),
        co_posonlyargcount=len(positional),
        co_kwonlyargcount=len(keywords),
        co_varnames=(*positional, *either, *keywords, *more, *more_keywords),
        co_nlocals=len(signature.parameters),
        co_flags=_nothing.__code__.co_flags | flags | sum(flag for flag in _FLAGS if flag in told),
    )


def _signature(self: Any) -> inspect.Signature:
    return _told(self)[1]


def _annotations(self: Any) -> dict[str, Any]:
    signature = _signature(self)
    found = {each.name: each.annotation for each in signature.parameters.values()}
    found["return"] = signature.return_annotation
    return {name: each for name, each in found.items() if each is not _NOTHING}


def _defaults(self: Any, *, is_keyword: bool) -> dict[str, Any]:
    return {
        each.name: each.default
        for each in _signature(self).parameters.values()
        if each.default is not _NOTHING and (each.kind is each.KEYWORD_ONLY) is is_keyword
    }


class Annotations(Member):
    """The `__annotations__` of a class, without those that could run code."""

    def __init__(self) -> None:
        super().__init__("__annotations__")

    def __get__(self, thing: object, cls: Any) -> dict[str, Any]:
        told = origin_of(cls).special("__annotations__")
        if type(told) is not dict:
            raise AttributeError("annotations of another form")
        return {name: each for name, each in told.items() if _is_harmless(each)}


def _bind(self: Any, instance: Any, _owner: object = None) -> Any:
    """Implement `__get__`, so that a function in a class becomes a method."""
    return self if instance is None else MethodType(self, instance)


# The attributes by which `inspect` recognises function-like objects.
ATTRIBUTES: dict[str, Any] = {
    "__get__": _bind,
    "__code__": property(_code),
    "__signature__": property(_signature),
    "__annotations__": property(_annotations),
    "__defaults__": property(lambda self: (*_defaults(self, is_keyword=False).values(),) or None),
    "__kwdefaults__": property(lambda self: _defaults(self, is_keyword=True) or None),
}
