"""The query of a collection's page: its address, conditions that can be taken out, columns."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext_noop

from functions.collections.queries import ItemRow
from functions.json_data.query import Operator, parse_query
from functions.json_data.query_match import values_at
from functions.json_data.values import canonical

MAX_COLUMNS = 6
MAX_SHOWN = 80  # characters of a value
SETTINGS = ("order", "limit", "cursor")
BUILDER = ("_path", "_operator", "_value")
# The operators that the builder offers.
OPERATORS = {
    Operator.EQUAL: gettext_noop("is"),
    Operator.NOT_EQUAL: gettext_noop("is not"),
    Operator.LESS: gettext_noop("less than"),
    Operator.AT_MOST: gettext_noop("at most"),
    Operator.GREATER: gettext_noop("more than"),
    Operator.AT_LEAST: gettext_noop("at least"),
    Operator.IN: gettext_noop("one of (with commas)"),
    Operator.CONTAINS: gettext_noop("contains"),
    Operator.EXISTS: gettext_noop("exists (true or false)"),
}
_PLAIN = re.compile(r"(?!(?:order|limit|cursor|_path|_operator|_value)$)[^\W_](?:_?[^\W_])*")


@dataclass(frozen=True, slots=True)
class Column:
    """A column: a member of the items; `sorted` is `ascending`, `descending` or empty."""

    name: str
    url: str
    sorted: str


@dataclass(frozen=True, slots=True)
class Chip:
    """A condition of the address, and the address without it."""

    text: str
    url: str


def parameters_of(query: QueryDict) -> list[tuple[str, str]]:
    """Return the parameters, as `parse_query` takes them."""
    return [(name, value) for name, values in query.lists() for value in values]


def built(query: QueryDict) -> str | None:
    """Return the address with the condition of the builder's form; None if it wasn't sent.

    Raises a Refusal if it isn't a condition.
    """
    if not any(name in query for name in BUILDER):
        return None
    path, operator, value = (query.get(name, "").strip() for name in BUILDER)
    kept = query.copy()
    for name in (*BUILDER, "cursor"):
        kept.pop(name, None)
    if path:
        name = path if operator in ("", Operator.EQUAL) else f"{path}__{operator}"
        kept.appendlist(name, value)
        parse_query(parameters_of(kept))
    return f"?{kept.urlencode()}"


def chips(query: QueryDict) -> list[Chip]:
    """Return the conditions of the address, which can be taken out."""
    found = []
    for name, values in query.lists():
        if name in (*SETTINGS, *BUILDER):
            continue
        for value in values:
            rest = query.copy()
            rest.pop("cursor", None)
            rest.setlist(name, [each for each in values if each != value])
            found.append(Chip(f"{name} = {value}", f"?{rest.urlencode()}"))
    return found


def columns(schema: Any, rows: Sequence[ItemRow], query: QueryDict) -> list[Column]:
    """Return the columns: the members that the schema names, or those that most items have."""
    named = schema.get("properties") if isinstance(schema, dict) else None
    if isinstance(named, dict) and named:
        required = [name for name in schema.get("required", []) if name in named]
        names = list(dict.fromkeys([*required, *named]))
    else:
        counted = Counter(name for row in rows for name in row.value)
        names = [name for name, _count in counted.most_common(MAX_COLUMNS)]
    return [_column(name, query) for name in names[:MAX_COLUMNS]]


def cells(row: ItemRow, shown: Iterable[Column]) -> list[tuple[str, str]]:
    """Return what each column shows of an item, with the column's name."""
    return [(column.name, _text(values_at(row.value, (column.name,)))) for column in shown]


def _column(name: str, query: QueryDict) -> Column:
    path = name if _PLAIN.fullmatch(name) else json.dumps(name, ensure_ascii=False)
    order = query.get("order", "")
    sorting = {path: "ascending", f"-{path}": "descending"}.get(order, "")
    changed = query.copy()
    changed.pop("cursor", None)
    changed["order"] = f"-{path}" if sorting == "ascending" else path
    return Column(name, f"?{changed.urlencode()}", sorting)


def _text(values: list[Any]) -> str:
    """Return a value as it is shown in a cell."""
    if not values:
        return ""
    value = values[0]
    text = value if isinstance(value, str) else canonical(value)
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 1]}…"
