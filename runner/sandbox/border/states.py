"""The state of objects: read to be sent, and set on objects that are rebuilt."""

from __future__ import annotations

import dataclasses
import enum
import types
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from runner.sandbox.border.plain import (
    ATOMS,
    NAME_OF,
    PLAIN,
    TAGS,
    VIEWS,
    Malformed,
    Uncrossable,
)
from runner.sandbox.border.protocol import is_public

FIELDS = "__dataclass_fields__"
_MOST_CAUSES = 20
_NAMED_ERRORS = (ImportError, NameError, AttributeError)


def is_own(name: object) -> bool:
    """Return whether an attribute of this name crosses with its object."""
    return type(name) is str and not name.startswith("_")


def is_method(cls: type, name: str) -> bool:
    """Return whether a class has a method of this name, which an attribute would hide."""
    found = next((vars(each)[name] for each in cls.__mro__ if name in vars(each)), None)
    return hasattr(type(found), "__get__") and not hasattr(type(found), "__set__")


def parts_of_data(base: Any, value: Any) -> tuple[Any, dict[str, Any] | None]:
    """Return the content and attributes of an object whose class extends a data type.

    Raises Uncrossable if an attribute hides a method.
    """
    kind = type(value)
    state = {k: v for k, v in getattr(value, "__dict__", {}).items() if is_own(k)}
    if any(is_method(kind, name) for name in state):
        what = f"an object of {kind.__name__} with an attribute in place of a method"
        raise Uncrossable(f"{what} can't cross")
    return str.__str__(value) if base is str else base(value), state or None


def give(made: Any, state: Any) -> None:
    """Set untrusted attributes on an object; raises Malformed."""
    if state is None:
        return
    if type(state) is not dict or not {str}.issuperset(map(type, state)):
        raise Malformed("attributes have names")
    if any(is_method(type(made), name) for name in state):
        raise Malformed("an attribute with the name of a method")
    if isinstance(made, BaseException):
        for name in ("__cause__", "__context__"):
            if isinstance(other := state.pop(name, None), BaseException):
                setattr(made, name, other)
        made.__suppress_context__ = state.pop("__suppress_context__", False) is True
        if isinstance(made, _NAMED_ERRORS):
            made.name = state.pop("name", None)
    made.__dict__.update(state)


def state_of_error(error: BaseException) -> dict[str, Any]:
    """Return the attributes of an exception, including its cause, context and notes."""
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
    if isinstance(error, _NAMED_ERRORS) and type(error.name) is str:
        state["name"] = error.name
    return state


def _is_long_chain(error: BaseException | None) -> bool:
    """Return whether an exception has at least _MOST_CAUSES causes, so that none are sent."""
    for _ in range(_MOST_CAUSES):
        if error is None:
            return False
        error = error.__cause__ or error.__context__
    return True


# --- parts of values that are not plain data ------------------------------------------------------

_DATA = (*ATOMS, *PLAIN, *TAGS)
_EXACT = frozenset(_DATA)
_METHODS = frozenset(
    name
    for kind in (str, bytes, int, float, complex, list, tuple, dict, set, frozenset)
    for name in dir(kind)
    if is_public(name) and callable(getattr(kind, name))
)
_ITEMS = (list, tuple, set, frozenset, deque, *VIEWS)


def parts_in(values: Sequence[Any]) -> Iterator[Any]:
    """Yield what is not plain data in values, in containers among them, and in attributes."""
    pending, seen = [*values], set()
    while pending:
        each = pending.pop()
        kind = type(each)
        if kind in ATOMS or id(each) in seen:
            continue
        seen.add(id(each))
        if kind not in _EXACT:
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
    """Return whether this is a builtin under its own name, as in the result of `vars`."""
    return type(key) is str and NAME_OF.get(id(thing)) == key


def _is_foreign(cls: Any) -> bool:
    """Return whether this is the mirror of a class of another process."""
    return getattr(cls, "_class_origin", None) is not None


def unpromised(value: Any) -> Any:
    """Return a part that must not be in a plain result; None if there is none.

    Objects of classes that extend a data type are plain if the classes override no method of any
    data type. Objects of the test itself are allowed in containers.
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
    """Return whether a class of another process defines a method of any data type."""
    brought = _METHODS & vars(cls).keys() if _is_foreign(cls) else ()
    return any(hasattr(vars(cls)[name], "__get__") for name in brought)


# The builtin exceptions by which an `except` would catch failed checks.
_CATCHING = (AssertionError, Exception, BaseException)


def catches_failures(*things: Any) -> bool:
    """Return whether these contain an exception class that would catch failed checks."""
    return any(each is wide for each in parts_in(things) for wide in _CATCHING)


# --- the fields of dataclasses, for `dataclasses` -------------------------------------------------

_SWITCHES = ("init", "repr", "compare")
_OPTIONS = ("default", "default_factory", *_SWITCHES)


def describe_fields(cls: Any) -> list[tuple[Any, ...]]:
    """Return the fields of a dataclass, or of an object of one; raises AttributeError."""
    if not hasattr(cls, FIELDS):
        raise AttributeError(f"no dataclass has no {FIELDS}")
    return [(each.name, each.type, dict(_options(each))) for each in dataclasses.fields(cls)]


def _options(field: dataclasses.Field[Any]) -> Iterator[tuple[str, Any]]:
    for name in _OPTIONS:
        if (value := getattr(field, name)) is not dataclasses.MISSING:
            yield name, value


def build_fields(told: Any) -> dict[str, dataclasses.Field[Any]]:
    """Make fields from untrusted descriptions; raises Malformed."""
    try:
        return {name: _field(name, *parts) for name, *parts in told}
    except (TypeError, ValueError) as error:
        raise Malformed(f"fields of another form: {error}") from None


def _field(name: str, kind: Any, options: Mapping[str, Any]) -> Any:
    if type(name) is not str or type(options) is not dict or not options.keys() <= {*_OPTIONS}:
        raise Malformed("a field of another form")
    if any(type(options.get(name, True)) is not bool for name in _SWITCHES):
        raise Malformed("a field of another form")
    made: Any = dataclasses.field(**options)
    made.name, made.type = name, kind
    made._field_type = dataclasses._FIELD  # type: ignore[attr-defined] # noqa: SLF001
    return made


# --- classes defined in several processes of a run, because each executes the same module ---------


class SharedClasses:
    """One process's classes of shared modules, by module and name."""

    def __init__(self, modules: Mapping[str, Mapping[str, Any]]) -> None:
        self._classes = dict(_classes_of(modules))
        self._names = {cls: name for name, cls in self._classes.items()}

    def name_of(self, cls: type) -> list[str]:
        """Return the module of a class and its name there; empty if it isn't shared."""
        return [*self._names.get(cls, ())]

    def find(self, module: object, name: object) -> type | None:
        """Return the class of this name."""
        return self._classes.get((module, name))  # type: ignore[arg-type]

    def state_of(self, value: Any) -> list[Any] | None:
        """Return module and name of an object's class, and its attributes; None if not shared."""
        name = self._names.get(type(value))
        if name is None or isinstance(value, enum.Enum):
            return None
        return [*name, dict(_attributes_of(value))]

    def build(self, module: str, name: str, attributes: dict[str, Any]) -> Any:
        """Make an object with these attributes, without running code of its class."""
        made: Any = object.__new__(self._classes[module, name])
        for attribute, value in attributes.items():
            if not attribute.startswith("__") and not is_method(type(made), attribute):
                object.__setattr__(made, attribute, value)
        return made


def _classes_of(modules: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[tuple[str, str], type]]:
    for module, names in modules.items():
        pending = [*names.values()]
        while pending:
            each = pending.pop()
            # Only classes that this module defines, not imported ones.
            if isinstance(each, type) and each.__module__ == module:
                yield (module, each.__qualname__), each
                inside = f"{each.__qualname__}."
                pending += [
                    inner
                    for inner in vars(each).values()
                    if isinstance(inner, type) and inner.__qualname__.startswith(inside)
                ]


def _attributes_of(value: Any) -> Iterator[tuple[str, Any]]:
    yield from getattr(value, "__dict__", {}).items()
    for cls in type(value).__mro__:
        slots = vars(cls).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__") and hasattr(value, name):
                yield name, getattr(value, name)
