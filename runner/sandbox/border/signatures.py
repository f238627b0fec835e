"""What `inspect` tells of functions of another process: their signature and their kind."""

from __future__ import annotations

import ast
import inspect
from collections.abc import AsyncGenerator, Generator
from types import CodeType, MethodType
from typing import Any

from runner.sandbox.border.proxies import origin_of

_NOTHING = inspect.Parameter.empty
_KINDS = {kind.name: kind for kind in inspect._ParameterKind}  # noqa: SLF001


def _function() -> None:
    """What is called at once."""


def _generator() -> Generator[None]:
    yield


async def _coroutine() -> None:
    """What is awaited."""


async def _async_generator() -> AsyncGenerator[None]:
    yield


# Functions of each kind, as `inspect` looks at the flags of their code.
_SAMPLES: dict[str, Any] = {
    "generator": _generator,
    "coroutine": _coroutine,
    "async generator": _async_generator,
}
_TESTS = (
    ("generator", inspect.isgeneratorfunction),
    ("coroutine", inspect.iscoroutinefunction),
    ("async generator", inspect.isasyncgenfunction),
)


def describe_function(function: Any, *, tells_defaults: bool) -> list[Any]:
    """Return what another process sees of a function, as plain parts: its kind and signature.

    Defaults that aren't to be told are given as an ellipsis. Raises ValueError where a function has
    no signature.
    """
    signature = inspect.signature(function)
    parameters = [
        [each.name, each.kind.name, *_given(each.default), *_given(each.annotation)]
        for each in signature.parameters.values()
    ]
    if not tells_defaults:
        parameters = [[*parts[:3], ..., *parts[4:]] for parts in parameters]
    kind = next((kind for kind, is_one in _TESTS if is_one(function)), "")
    return [kind, parameters, *_given(signature.return_annotation)]


_HARMLESS = (
    *(ast.Expression, ast.Name, ast.Attribute, ast.Subscript, ast.Tuple, ast.List, ast.Constant),
    *(ast.BinOp, ast.BitOr, ast.Load),
)


def _is_harmless(annotation: Any) -> bool:
    """Tell whether nobody runs code of the other side's who evaluates an annotation.

    `typing.get_type_hints` does so, with texts in it as well.
    """
    if not isinstance(annotation, str):
        return True
    try:
        parts = [*ast.walk(ast.parse(str(annotation), mode="eval"))]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    inner = [part.value for part in parts if isinstance(part, ast.Constant)]
    return all(isinstance(part, _HARMLESS) for part in parts) and all(map(_is_harmless, inner))


def _given(value: Any) -> list[Any]:
    return [False, None] if value is _NOTHING else [True, value]


def _parameter(
    name: str, kind: str, has_default: object, default: Any, has_annotation: object, annotation: Any
) -> inspect.Parameter:
    return inspect.Parameter(
        name,
        _KINDS[kind],
        default=default if has_default is True else _NOTHING,
        annotation=_annotation(has_annotation, annotation),
    )


def _annotation(is_there: object, annotation: Any) -> Any:
    return annotation if is_there is True and _is_harmless(annotation) else _NOTHING


# --- of proxies -----------------------------------------------------------------------------------


def _told(proxy: Any) -> tuple[Any, inspect.Signature]:
    """Return kind and signature, of parts that anybody may have sent; raises ValueError."""
    try:
        kind, parts, has_result, result = origin_of(proxy).special("__signature__")
        parameters = [_parameter(*each) for each in parts]
        annotation = _annotation(has_result, result)
        return kind, inspect.Signature(parameters, return_annotation=annotation)
    except (TypeError, KeyError) as error:
        raise ValueError("a signature of another form") from error


def _code(self: Any) -> CodeType:
    """Return code of this kind of function and with its parameters, which does nothing."""
    kind, signature = _told(self)
    names: dict[str, list[str]] = {each: [] for each in _KINDS}
    for each in signature.parameters.values():
        names[each.kind.name].append(each.name)
    positional, either, more, keywords, more_keywords = names.values()
    code: CodeType = _SAMPLES.get(str(kind), _function).__code__
    flags = code.co_flags & ~(inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
    flags |= inspect.CO_VARARGS * len(more) | inspect.CO_VARKEYWORDS * len(more_keywords)
    return code.replace(
        co_argcount=len(positional + either),
        co_posonlyargcount=len(positional),
        co_kwonlyargcount=len(keywords),
        co_varnames=(*positional, *either, *keywords, *more, *more_keywords),
        co_nlocals=len(signature.parameters),
        co_flags=flags,
    )


def _signature(self: Any) -> inspect.Signature:
    return _told(self)[1]


def _annotations(self: Any) -> dict[str, Any]:
    signature = _signature(self)
    found = {each.name: each.annotation for each in signature.parameters.values()}
    found["return"] = signature.return_annotation
    return {name: each for name, each in found.items() if each is not _NOTHING}


def _bind(self: Any, instance: Any, _owner: object = None) -> Any:
    """Be a method of an object whose class has this function."""
    return self if instance is None else MethodType(self, instance)


# By these, `inspect` knows what isn't a function, but is like one.
ATTRIBUTES: dict[str, Any] = {
    "__get__": _bind,
    "__code__": property(_code),
    "__signature__": property(_signature),
    "__annotations__": property(_annotations),
    "__defaults__": None,
    "__kwdefaults__": None,
}
