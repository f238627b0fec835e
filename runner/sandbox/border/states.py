"""What is sent of objects that cross by value, beside their classes."""

from __future__ import annotations

from typing import Any

_MOST_CAUSES = 20


def state_of_error(error: BaseException) -> dict[str, Any]:
    """Return the attributes of an exception, and what it was caused by."""
    kind = type(error)
    state = {k: v for k, v in vars(error).items() if is_own(k) and not is_method(kind, k)}
    if (notes := vars(error).get("__notes__")) is not None:
        state["__notes__"] = notes
    if _is_long_chain(error):
        return state
    if error.__cause__ is not None:
        state["__cause__"] = error.__cause__
    if error.__suppress_context__:
        state["__suppress_context__"] = True
    elif error.__context__ is not None:
        state["__context__"] = error.__context__
    if isinstance(error, ImportError | NameError | AttributeError) and type(error.name) is str:
        state["name"] = error.name
    return state


def _is_long_chain(error: BaseException | None) -> bool:
    """Tell whether an exception has more causes than anybody reads."""
    for _ in range(_MOST_CAUSES):
        if error is None:
            return False
        error = error.__cause__ or error.__context__
    return True


def is_own(name: object) -> bool:
    """Tell whether an attribute of this name crosses with its object."""
    return type(name) is str and not name.startswith("_")


def is_method(cls: type, name: str) -> bool:
    """Tell whether a class has a method of this name, which an attribute would hide."""
    found = next((vars(each)[name] for each in cls.__mro__ if name in vars(each)), None)
    return hasattr(type(found), "__get__") and not hasattr(type(found), "__set__")


def plain_content(base: Any, value: Any) -> Any:
    """Return the plain content of an object whose class extends a type of data."""
    if issubclass(base, str):
        return str.__str__(value)
    if issubclass(base, tuple | frozenset | list | set | dict):
        return base(base.__iter__(value)) if not issubclass(base, dict) else base(dict.items(value))
    return base.__new__(base, value)
