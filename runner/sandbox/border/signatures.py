"""What `inspect` tells of functions of another process: their signature and their kind."""

from __future__ import annotations

import ast
import inspect
from collections.abc import AsyncGenerator, Generator
from types import CodeType, MethodType
from typing import Any

from runner.sandbox.border.protocol import Operation
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
_MORE = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
_TESTS = (
    ("generator", inspect.isgeneratorfunction),
    ("coroutine", inspect.iscoroutinefunction),
    ("async generator", inspect.isasyncgenfunction),
)


def describe_function(function: Any, name: str, *, tells_defaults: bool) -> Any:
    """Return what another process sees of a function's attribute of this name."""
    if not callable(function):
        raise AttributeError(f"{type(function).__name__} has no {name}")  # noqa: TRY004
    if name == "__code__":
        return [_kind_of(function), *_counts_of(function)]
    return _parts_of_signature(function, tells_defaults=tells_defaults)


def _kind_of(function: Any) -> str:
    return next((name for name, is_one in _TESTS if is_one(function)), "")


def _counts_of(function: Any) -> list[Any]:
    """Return how many parameters its code has, and the names of its parameters and variables."""
    code = getattr(function, "__code__", None)
    if type(code) is not CodeType:
        return [0, 0, 0, 0, []]
    return [
        code.co_argcount,
        code.co_posonlyargcount,
        code.co_kwonlyargcount,
        code.co_flags & _MORE,
        [*code.co_varnames],
    ]


def _parts_of_signature(function: Any, *, tells_defaults: bool) -> list[Any]:
    """Return the signature of a function of ours as plain parts, beside defaults and classes.

    Defaults that aren't to be told are given as an ellipsis. Raises ValueError where it has none.
    """
    signature = inspect.signature(function)
    parameters = signature.parameters.values()
    defaults = [_given(each.default) for each in parameters]
    if not tells_defaults:
        defaults = [[is_given, ...] for is_given, _ in defaults]
    return [
        [
            [each.name, each.kind.name, *default, *_given(each.annotation)]
            for each, default in zip(parameters, defaults, strict=True)
        ],
        *_given(signature.return_annotation),
    ]


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


def _build(parts: Any) -> inspect.Signature:
    """Make a signature of parts that anybody may have sent; raises ValueError."""
    try:
        told, has_result, result = parts
        parameters = [_parameter(*each) for each in told]
        return inspect.Signature(parameters, return_annotation=_annotation(has_result, result))
    except (TypeError, KeyError) as error:
        raise ValueError("a signature of another form") from error


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


def _ask(proxy: Any, name: str) -> Any:
    asker, number, _ = origin_of(proxy)
    return asker.ask(Operation.SPECIAL, number, name)


def _code(self: Any) -> CodeType:
    """Return code of this kind of function and with its parameters, which does nothing."""
    match _ask(self, "__code__"):
        case [str() as kind, *counts, list() as names] if _are_counts(counts, names):
            args, positional, keywords, flags = counts
            code: CodeType = _SAMPLES.get(kind, _function).__code__
            return code.replace(
                co_argcount=args,
                co_posonlyargcount=positional,
                co_kwonlyargcount=keywords,
                co_varnames=(*names,),
                co_nlocals=len(names),
                co_flags=code.co_flags & ~_MORE | flags & _MORE,
            )
    raise AttributeError("code of another form")


def _are_counts(counts: list[Any], names: list[Any]) -> bool:
    """Tell whether code can have these counts of parameters, flags and names."""
    if len(counts) != 4 or {*map(type, counts)} != {int} or {*map(type, names)} - {str}:
        return False
    args, positional, keywords, flags = counts
    many: int = args + keywords + (flags & _MORE).bit_count()
    return 0 <= positional <= args and keywords >= 0 and many <= len(names)


def _signature(self: Any) -> inspect.Signature:
    return _build(_ask(self, "__signature__"))


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
