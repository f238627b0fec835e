"""PURE: what a record contributes to a view."""

from typing import Any, NamedTuple

from functions.document_views.definition import Definition
from functions.document_views.scalars import Scalar, encode, scalar_at


class Contribution(NamedTuple):
    """A record's part of a view, as it is stored.

    `key` is what it is joined by, `group_key` its group if its side has it (both as JSON text), and
    `fields` are the scalars at the side's paths.
    """

    key: str
    group_key: str | None
    fields: tuple[Scalar, ...]


def contribution_of(
    definition: Definition, side: int, record: str, value: Any | None
) -> Contribution | None:
    """Return what the record contributes as one of this side; None if it isn't in the view.

    No value means that there is no such record.
    """
    about = definition.sides[side]
    if value is None or not all(each.holds(record, value) for each in about.where):
        return None
    key = scalar_at(record, value, about.on) if about.on else ""
    if key is None:
        return None
    group = None
    if definition.group_side == side:
        path = definition.group_by
        group = encode(scalar_at(record, value, path) if path else None)
    fields = tuple(scalar_at(record, value, path) for path in about.paths)
    return Contribution(encode(key), group, fields)


def to_columns(side: int, record: str, contribution: Contribution | None) -> dict[str, Any]:
    """Return the columns of a contribution, or of its absence."""
    if contribution is None:
        return {"side": side, "record": record, "key": "", "group_key": None, "fields": None}
    return {"side": side, "record": record, **contribution._asdict()}
