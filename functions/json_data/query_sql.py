"""Queries as SQL over a jsonb column.

Equality, `in` and comparisons are jsonpath predicates with `@@`; of these, a GIN index with
`jsonb_path_ops` serves equality and `in`. Names and values reach PostgreSQL as parameters, within
them as JSON strings, so that none is ever read as SQL or jsonpath.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from functions.json_data.query import (
    ID,
    MAX_SORTED_CHARACTERS,
    Condition,
    Literal,
    Operator,
    Order,
    Path,
    Query,
)

_COMPARISONS = {
    Operator.EQUAL: "==",
    Operator.NOT_EQUAL: "==",  # negated as a whole
    Operator.IN: "==",
    Operator.LESS: "<",
    Operator.AT_MOST: "<=",
    Operator.GREATER: ">",
    Operator.AT_LEAST: ">=",
}
_SCALARS = (
    " ? (" + " || ".join(f'@.type() == "{name}"' for name in ("number", "string", "boolean")) + ")"
)


@dataclass(frozen=True, slots=True)
class Rendered:
    """Parts of a statement, and the named parameters of all of them.

    `matches` is for the conditions alone and `where` for the rows after the cursor as well.
    `position` is a jsonb expression to select; that of the last row makes the next cursor.
    """

    matches: str
    where: str
    position: str
    order_by: str
    parameters: dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Term:
    """An expression to order by, with the parameter cast for comparison with it."""

    expression: str
    cast: str
    is_descending: bool


def render(query: Query, *, column: str = "value", id_column: str = "id") -> Rendered:
    """Return the query's SQL over these columns, whose names are ours, never a user's."""
    parameters: dict[str, Any] = {}
    conditions = [
        _condition(condition, column, f"condition{number}", parameters)
        for number, condition in enumerate(query.conditions)
    ]
    matches = " AND ".join(conditions) or "TRUE"
    keys = [
        list(_sort_terms(order, column, f"order{number}", parameters))
        for number, order in enumerate(query.orders)
        if order.path != ID
    ]
    is_newest_first = any(order.path == ID and order.is_descending for order in query.orders)
    terms = [term for key in keys for term in key]
    terms.append(_Term(id_column, "%s::bigint", is_newest_first))
    after = _after(terms, list(_flat(query.after)), parameters) if query.after else ""
    return Rendered(
        matches=matches,
        where=f"{matches} AND {after}" if after else matches,
        position=_position(keys, id_column),
        order_by=", ".join(
            f"{term.expression}{' DESC' if term.is_descending else ''}" for term in terms
        ),
        parameters=parameters,
    )


def _condition(condition: Condition, column: str, name: str, parameters: dict[str, Any]) -> str:
    path = _json_path(condition.path)
    if condition.operator == Operator.EXISTS:
        parameters[name] = path
        found = f"{column} @? %({name})s::jsonpath"
        return found if condition.literals == (True,) else f"({found}) IS NOT TRUE"
    if condition.operator == Operator.CONTAINS:
        parameters[name] = f'{path} like_regex {_literal(condition.literals[0])} flag "q"'
        return f"{column} @@ %({name})s::jsonpath"
    sign = _COMPARISONS[condition.operator]
    parameters[name] = " || ".join(
        f"{path} {sign} {_literal(literal)}" for literal in condition.literals
    )
    found = f"{column} @@ %({name})s::jsonpath"
    # Where types can't be compared, `@@` gives null.
    return f"({found}) IS NOT TRUE" if condition.operator == Operator.NOT_EQUAL else found


def _json_path(path: Path) -> str:
    """Return the path in jsonpath's lax mode, which unwraps lists."""
    return "$" + "".join(f".{json.dumps(name)}" for name in path)


def _literal(literal: Literal) -> str:
    return str(literal) if isinstance(literal, Decimal) else json.dumps(literal)


def _sort_terms(
    order: Order, column: str, name: str, parameters: dict[str, Any]
) -> Iterator[_Term]:
    """Yield the terms of an order: numbers, texts, booleans, and last those that have none."""
    parameters[name] = _json_path(order.path) + _SCALARS
    key = f"jsonb_path_query_first({column}, %({name})s::jsonpath)"
    kind = f"jsonb_typeof({key})"
    rank = f"CASE {kind} WHEN 'number' THEN 0 WHEN 'string' THEN 1 WHEN 'boolean' THEN 2 ELSE 3 END"
    number = f"CASE {kind} WHEN 'number' THEN ({key})::numeric ELSE 0 END"
    # PostgreSQL's other orders differ between installations.
    text = f"left(coalesce({key} #>> '{{}}', ''), {MAX_SORTED_CHARACTERS})"
    text = f"(CASE {kind} WHEN 'number' THEN '' ELSE {text} END) COLLATE \"C\""
    yield _Term(f"({rank})", "%s::integer", is_descending=False)
    yield _Term(f"({number})", "%s::numeric", order.is_descending)
    yield _Term(f"({text})", "%s::text", order.is_descending)


def _position(keys: list[list[_Term]], id_column: str) -> str:
    # Numbers as text, because Python reads JSON's as floats.
    parts = [
        f"jsonb_build_array({rank.expression}, {number.expression}::text, {text.expression})"
        for rank, number, text in keys
    ]
    return f"jsonb_build_array({', '.join([*parts, id_column])})"


def _flat(position: tuple[Any, ...]) -> Iterator[Any]:
    for part in position:
        yield from part if isinstance(part, list) else [part]


def _after(terms: list[_Term], values: list[Any], parameters: dict[str, Any]) -> str:
    """Return the condition that a row comes after a position."""
    condition = ""
    for number, (term, value) in reversed(list(enumerate(zip(terms, values, strict=True)))):
        name = f"after{number}"
        parameters[name] = value
        limit = term.cast.replace("%s", f"%({name})s")
        step = f"{term.expression} {'<' if term.is_descending else '>'} {limit}"
        more = f" OR ({term.expression} = {limit} AND {condition})" if condition else ""
        condition = f"({step}{more})"
    return condition
