"""PURE: what a view must be, computed from all contributions; the yardstick of what is stored."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from decimal import Context, Decimal
from typing import Any

from functions.document_views.contributions import Contribution
from functions.document_views.definition import Definition, Value
from functions.document_views.scalars import Scalar, is_number, rank_of

# Sums have no more digits than the largest and smallest double differ by.
_EXACT = Context(prec=1_000)

# The records of a row, its fields; there are two records if the view joins sources.
_Row = tuple[tuple[str, ...], tuple[Scalar, ...]]


def evaluate(
    definition: Definition, sides: Sequence[Mapping[str, Contribution]]
) -> dict[str, dict[str, Any]]:
    """Return the values of each group, by its JSON text, given each side's contributions."""
    groups: dict[str, list[_Row]] = defaultdict(list)
    for group, row in _rows(sides):
        groups[group].append(row)
    return {
        group: {value.name: _value_of(value, rows) for value in definition.values}
        for group, rows in groups.items()
    }


def _rows(sides: Sequence[Mapping[str, Contribution]]) -> Iterator[tuple[str, _Row]]:
    if len(sides) == 1:
        for record, each in sides[0].items():
            yield each.group_key or "", ((record,), each.fields)
        return
    by_key: dict[str, list[tuple[str, Contribution]]] = defaultdict(list)
    for record, right in sides[1].items():
        by_key[right.key].append((record, right))
    for record, left in sides[0].items():
        for other, right in by_key[left.key]:
            yield (
                left.group_key or right.group_key or "",
                ((record, other), left.fields + right.fields),
            )


def _value_of(value: Value, rows: Sequence[_Row]) -> Any:
    if value.kind == "count":
        return len(rows)
    if value.kind == "sum":
        total = Decimal(0)
        for _, fields in rows:
            if is_number(fields[value.position]):
                total = _EXACT.add(total, Decimal(repr(fields[value.position])))
        return total
    ranked = sorted(
        (
            (rank, records, fields)
            for records, fields in rows
            if (rank := rank_of(fields[value.position])) is not None
        ),
        reverse=value.kind != "min",
    )
    shown = [_shown(value, records, fields) for _, records, fields in ranked[: value.most]]
    if value.kind == "top":
        return shown
    first = shown[0] if shown else None
    return first if value.kind == "latest" or first is None else first["value"]


def _shown(value: Value, records: tuple[str, ...], fields: tuple[Scalar, ...]) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "id": list(records) if len(records) > 1 else records[0],
        "value": fields[value.position],
    }
    if value.show is not None:
        shown["show"] = fields[value.show]
    return shown


def exact(value: Any) -> Any:
    """Return the JSON value with exact decimals as numbers, as sums are to be compared."""
    if isinstance(value, dict):
        return {key: exact(each) for key, each in value.items()}
    if isinstance(value, list):
        return [exact(each) for each in value]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return Decimal(repr(value)) if is_number else value
