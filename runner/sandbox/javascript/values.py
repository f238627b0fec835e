"""Values as JSON, as `prelude.js` writes and reads them: see there for the tags."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

_DEEPEST = 200
_LARGEST = 2**53 - 1
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_encode = json.JSONEncoder().encode

# Returns the tagged form of an object that stays in Python.
Keep = Callable[[object], dict[str, Any]]
# Returns the stand-in of one that stays in JavaScript, from number, kind and name, or the object
# of Python that has this number.
FromJavaScript = Callable[[int, str, str], object]
Kept = Callable[[int], object]


class Writer:
    """Writes values for JavaScript; `keep` is asked for what can't be copied."""

    def __init__(self, keep: Keep) -> None:
        self._keep = keep

    def write(self, value: object) -> str:
        """Return a value as JSON. Raises ValueError if it is nested too deeply."""
        return _encode(self._pack(value, 0))

    def _pack(self, value: Any, depth: int) -> Any:
        kind: Any = type(value)
        if kind is str or kind is bool or value is None:
            return value
        if issubclass(kind, int | float | str):
            return _pack_scalar(value, kind)
        if depth > _DEEPEST:
            raise ValueError(f"a value is nested more than {_DEEPEST} deep, or in itself")
        if issubclass(kind, dict):
            return self._pack_dict(value, depth + 1)
        if issubclass(kind, list | tuple | set | frozenset):
            packed = [self._pack(each, depth + 1) for each in value]
            return packed if issubclass(kind, list | tuple) else {"$": ["s", packed]}
        return _pack_other(value, kind) or self._keep(value)

    def _pack_dict(self, value: dict[Any, Any], depth: int) -> dict[str, Any]:
        if all(type(key) is str for key in value):
            if "$" not in value:
                return {key: self._pack(each, depth) for key, each in value.items()}
            return {"$": ["o", [[key, self._pack(each, depth)] for key, each in value.items()]]}
        pairs = [[self._pack(k, depth), self._pack(v, depth)] for k, v in value.items()]
        return {"$": ["m", pairs]}


def _pack_scalar(value: Any, kind: Any) -> Any:
    if issubclass(kind, int):
        number = int(value)
        return number if -_LARGEST <= number <= _LARGEST else {"$": ["n", str(number)]}
    if issubclass(kind, float):
        return float(value) if math.isfinite(value) else {"$": ["f", _name_of(value)]}
    return str.__str__(value)


def _pack_other(value: Any, kind: Any) -> dict[str, Any] | None:
    if issubclass(kind, bytes | bytearray):
        return {"$": ["b", bytes(value).decode("latin-1")]}
    if issubclass(kind, datetime) and value.tzinfo is not None:
        return {"$": ["d", (value - _EPOCH) / timedelta(milliseconds=1)]}
    return None


def _name_of(value: float) -> str:
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


class Reader:
    """Reads values of JavaScript."""

    def __init__(self, stand_in: FromJavaScript, kept: Kept) -> None:
        self._stand_in = stand_in
        self._kept = kept

    def read(self, text: str) -> Any:
        """Return the value of a JSON text."""
        value = json.loads(text)
        return self._unpack(value) if '{"$"' in text else value

    def _unpack(self, value: Any) -> Any:
        if type(value) is list:
            return [self._unpack(each) for each in value]
        if type(value) is dict:
            if "$" in value:
                return self._revive(*value["$"])
            return {key: self._unpack(each) for key, each in value.items()}
        return value

    def _revive(self, tag: str, content: Any, *more: Any) -> Any:
        if tag in _SCALARS:
            return _SCALARS[tag](content)
        match tag:
            case "o":
                return {key: self._unpack(each) for key, each in content}
            case "m":
                return {_as_key(self._unpack(key)): self._unpack(each) for key, each in content}
            case "s":
                return {_as_key(self._unpack(each)) for each in content}
            case "j":
                return self._stand_in(content, *more)
        return self._kept(content)


def _as_key(value: Any) -> Any:
    return tuple(map(_as_key, value)) if type(value) is list else value


def _date(milliseconds: Any) -> datetime:
    if milliseconds is None:
        raise ValueError("an invalid Date can't leave JavaScript")
    return _EPOCH + timedelta(milliseconds=milliseconds)


def _bytes(text: str) -> bytes:
    return text.encode("latin-1")


_SCALARS: dict[str, Callable[[Any], Any]] = {"f": float, "n": int, "b": _bytes, "d": _date}


def merge(old: Any, fresh: Any) -> Any:
    """Give the containers in `old` the content of `fresh`; return the one or the other."""
    if type(old) is list and type(fresh) is list:
        pairs = zip(old, fresh, strict=False)
        old[:] = [*(merge(*pair) for pair in pairs), *fresh[len(old) :]]
        return old
    if type(old) is dict and type(fresh) is dict:
        merged = {k: merge(old[k], v) if k in old else v for k, v in fresh.items()}
        old.clear()
        old.update(merged)
        return old
    if type(old) is set and type(fresh) is set:
        old.clear()
        old.update(fresh)
        return old
    if type(old) is bytearray and type(fresh) is bytes:
        old[:] = fresh
        return old
    if type(old) is tuple and type(fresh) is list:
        for one, other in zip(old, fresh, strict=False):
            merge(one, other)
        return old
    return fresh


def iterated(following: Callable[[], list[Any]]) -> Iterator[Any]:
    """Yield what an iterator of JavaScript gives; `following` returns the next, as a list."""
    while found := following():
        yield found[0]
