"""The fields of dataclasses, of which `dataclasses` makes use: told and built again."""

from __future__ import annotations

import dataclasses
from typing import Any

from runner.sandbox.border.plain import Malformed

FIELDS = "__dataclass_fields__"
_MISSING = dataclasses.MISSING


def describe_fields(cls: object) -> list[list[Any]]:
    """Return the fields of a dataclass, or of an object of one; raises AttributeError."""
    if not hasattr(cls, FIELDS):
        raise AttributeError(f"no dataclass has no {FIELDS}")
    fields: Any = cls
    return [
        [each.name, each.type, each.init, each.repr, each.compare, *_default(each)]
        for each in dataclasses.fields(fields)
    ]


def _default(field: dataclasses.Field[Any]) -> list[Any]:
    if field.default is not _MISSING:
        return ["default", field.default]
    if field.default_factory is not _MISSING:
        return ["default_factory", field.default_factory]
    return ["", None]


def build_fields(told: object) -> dict[str, dataclasses.Field[Any]]:
    """Make fields of what anybody may have told; raises Malformed."""
    try:
        return {each.name: each for each in (_field(*parts) for parts in told)}  # type: ignore[attr-defined]
    except TypeError as error:
        raise Malformed(f"fields of another form: {error}") from None


def _field(
    name: str, kind: Any, init: Any, shown: Any, compared: Any, given: str, value: Any
) -> Any:
    if type(name) is not str or given not in ("", "default", "default_factory"):
        raise Malformed("a field of another form")
    options: dict[str, Any] = {given: value} if given else {}
    made: Any = dataclasses.field(
        init=init is True, repr=shown is True, compare=compared is True, **options
    )
    made.name, made.type = name, kind
    made._field_type = dataclasses._FIELD  # type: ignore[attr-defined] # noqa: SLF001
    return made
