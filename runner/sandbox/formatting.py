"""`str.format` and `format_map` whose templates read attributes by the guard."""

from __future__ import annotations

import functools
import types
from _string import (  # type: ignore[import-not-found]
    formatter_field_name_split,
    formatter_parser,
)
from collections import UserString
from collections.abc import Callable, Mapping
from typing import Any

_DEEPEST = 2

Getter = Callable[[Any, str], Any]
_NAMES = ("format", "format_map")
_CONVERSIONS: dict[str | None, Callable[[Any], Any]] = {
    None: lambda value: value,
    "s": str,
    "r": repr,
    "a": ascii,
}


def guarded(found: Any, name: str, getter: Getter) -> Any:
    """In place of what an object has under the name of one of these methods, if it is one.

    It may have been found on the class, by `super()`, or handed on by an alias.
    """
    kind = type(found)
    method = _METHODS[name]
    if kind is types.BuiltinMethodType and isinstance(found.__self__, str):
        bound = str.__str__(found.__self__)
        return lambda *values, **named: method(getter, bound, *values, **named)
    if found is getattr(str, name) or found is getattr(UserString, name):
        return lambda text, /, *values, **named: method(getter, _text(text), *values, **named)
    if kind is types.MethodType and found.__func__ is getattr(UserString, name):
        bound = _text(found.__self__)
        return lambda *values, **named: method(getter, bound, *values, **named)
    return found


def _text(template: Any) -> str:
    """A plain str of it: one of the user's own class could be read differently."""
    if isinstance(template, UserString):
        template = template.data
    return str.__str__(template)


def _format(getter: Getter, template: str, /, *values: Any, **named: Any) -> str:
    if not _reads_attributes(template):
        return template.format(*values, **named)
    return _Filling(getter, values, named).text(template)


def _format_map(getter: Getter, template: str, mapping: Any, /) -> str:
    if not _reads_attributes(template):
        return template.format_map(mapping)
    return _Filling(getter, None, mapping).text(template)


_METHODS: dict[str, Callable[..., str]] = {"format": _format, "format_map": _format_map}


@functools.lru_cache(maxsize=512)
def _reads_attributes(template: str) -> bool:
    """Whether a field names an attribute; without one, Python's own formatting is harmless."""
    return any(
        field is not None and ("." in field or ("{" in spec and _reads_attributes(spec)))
        for _, field, spec, _ in formatter_parser(template)
    )


def is_plain(template: str) -> bool:
    """Whether Python's own formatting of it is harmless, or just an error."""
    try:
        return not _reads_attributes(template)
    except ValueError:
        return True


class _Filling:
    """One call: the values, and how many of them the fields without a name have taken."""

    def __init__(
        self, getter: Getter, values: tuple[Any, ...] | None, named: Mapping[str, Any]
    ) -> None:
        self._getter = getter
        self._values = values
        self._named = named
        self._taken: int | None = 0

    def text(self, template: str, depth: int = _DEEPEST) -> str:
        if depth == 0:
            raise ValueError("Max string recursion exceeded")
        pieces = []
        for literal, field, spec, conversion in formatter_parser(template):
            pieces.append(literal)
            if field is not None:
                value = self._value(field)
                if conversion not in _CONVERSIONS:
                    raise ValueError(f"Unknown conversion specifier {conversion}")
                value = _CONVERSIONS[conversion](value)
                pieces.append(format(value, self.text(spec, depth - 1) if spec else ""))
        return "".join(pieces)

    def _value(self, field: str) -> Any:
        first, rest = formatter_field_name_split(field)
        value = self._named[first] if type(first) is str and first else self._positional(first)
        for is_attribute, key in rest:
            value = self._getter(value, key) if is_attribute else value[key]
        return value

    def _positional(self, index: Any) -> Any:
        if self._values is None:
            raise ValueError("Format string contains positional fields")
        if index == "":
            if self._taken is None:
                raise ValueError(
                    _MIXED.format("manual field specification", "automatic field numbering")
                )
            index, self._taken = self._taken, self._taken + 1
        elif self._taken:
            raise ValueError(
                _MIXED.format("automatic field numbering", "manual field specification")
            )
        else:
            self._taken = None
        if index >= len(self._values):
            raise IndexError(f"Replacement index {index} out of range for positional args tuple")
        return self._values[index]


_MIXED = "cannot switch from {} to {}"
