"""A decorator that checks annotations at run time."""
import functools
import inspect
import types
import typing
from typing import Any, Callable, Literal, Optional, Union


def matches(value, hint) -> bool:
    if hint is Any:
        return True
    if hint is None:
        return value is None
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin in (Union, types.UnionType):
        return any(matches(value, a) for a in args)
    if origin is Literal:
        return value in args
    if origin in (list, set, frozenset):
        return isinstance(value, origin) and all(matches(v, args[0]) for v in value)
    if origin is dict:
        return isinstance(value, dict) and all(matches(k, args[0]) and matches(v, args[1]) for k, v in value.items())
    if origin is tuple:
        if len(args) == 2 and args[1] is ...:
            return isinstance(value, tuple) and all(matches(v, args[0]) for v in value)
        return isinstance(value, tuple) and len(value) == len(args) and all(map(matches, value, args))
    if origin is typing.get_origin(Callable[..., Any]):
        return callable(value)
    if isinstance(hint, typing.TypeVar):
        return hint.__bound__ is None or matches(value, hint.__bound__)
    if hint is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, hint)


def name_of(hint):
    return getattr(hint, "__name__", None) if isinstance(hint, type) and not typing.get_args(hint) else str(hint).replace("typing.", "")


def typechecked(func):
    sig = inspect.signature(func)
    hints = typing.get_type_hints(func)

    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        bound = sig.bind(*args, **kwargs)
        for name, value in bound.arguments.items():
            if name not in hints:
                continue
            values = value if sig.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL else (value,)
            for v in values:
                if not matches(v, hints[name]):
                    raise TypeError(f"{func.__name__}(): {name} must be {name_of(hints[name])}, got {v!r}")
        result = func(*args, **kwargs)
        if "return" in hints and not matches(result, hints["return"]):
            raise TypeError(f"{func.__name__}() must return {name_of(hints['return'])}, got {result!r}")
        return result
    return wrapper


@typechecked
def repeat(text: str, n: int = 2, *, sep: Optional[str] = None) -> str:
    return (sep or "").join([text] * n)


@typechecked
def stats(data: list[float], mode: Literal["mean", "max"] = "mean", *extra: int) -> dict[str, float]:
    return {mode: sum(data) / len(data) if mode == "mean" else max(data)}


@typechecked
def broken(pairs: tuple[tuple[int, str], ...], f: Callable[[int], int] = abs) -> int | None:
    return "oops" if pairs else None


assert repeat("ab") == "abab" and repeat("x", 3, sep="-") == "x-x-x"
assert stats([1, 2.5, 4], "max", 1, 2) == {"max": 4}
assert broken(()) is None
for call in (
    lambda: repeat(5), lambda: repeat("a", "b"), lambda: repeat("a", sep=1), lambda: repeat(),
    lambda: stats([1, "2"]), lambda: stats([1], "median"), lambda: stats([1], "max", "x"),
    lambda: broken(((1, "a"),)), lambda: broken(((1, 2),)), lambda: broken((), f=3),
):
    try:
        call()
    except TypeError as e:
        print(e)
    else:
        raise AssertionError("accepted")
