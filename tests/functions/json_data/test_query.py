"""Queries over JSON values: what they mean in Python and in SQL, and what is refused."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from django.db import connection
from hypothesis import given, settings
from hypothesis import strategies as st

from functions.json_data.query import (
    MAX_CONDITIONS,
    BadQuery,
    Order,
    Query,
    encode_cursor,
    parse_query,
)
from functions.json_data.query_match import matches, sort_key
from functions.json_data.query_sql import render

ANN = {
    "name": "Ann",
    "age": 41,
    "tags": ["red", "blue"],
    "address": {"zipcode": "54321", "city": None},
    "people": [{"name": "Bo"}, {"name": "Cy", "ages": [1, 2]}],
    "a.b": True,
}


@pytest.mark.parametrize(
    ("query", "holds"),
    [
        ({}, True),
        ({"name": "Ann"}, True),
        ({"name": "ann"}, False),
        ({"age": "41"}, True),
        ({"age": "41.0"}, True),
        ({"age": '"41"'}, False),
        ({"address.zipcode": "54321"}, True),
        ({"address.zipcode": "54321.0"}, False),
        ({"address.city": "null"}, True),
        ({"address.street": "null"}, False),
        ({"tags": "red"}, True),
        ({"tags": "green"}, False),
        ({"people.name": "Cy"}, True),
        ({"people.ages": "2"}, True),
        ({'"a.b"': "true"}, True),
        ({"age__gt": "40", "age__lte": "41"}, True),
        ({"age__lt": "41"}, False),
        ({"name__gte": "A", "name__lt": "B"}, True),
        ({"age__in": '7,"a,b",41'}, True),
        ({"tags__ne": "red"}, False),
        ({"street__ne": "red"}, True),
        ({"tags__exists": "true", "street__exists": "false"}, True),
        ({"address.city__exists": "false"}, False),
        ({"tags__contains": "lu"}, True),
        ({"tags__contains": "LU"}, False),
    ],
)
@pytest.mark.django_db
def test_a_condition_means_the_same_in_python_and_in_sql(
    query: dict[str, str], holds: bool
) -> None:
    parsed = parse_query(query.items())
    assert matches(parsed, ANN) is holds
    assert found_in_sql(parsed, [ANN]) == ([0] if holds else [])


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("price__between", "1", "unknown_operator"),
        ("a..b", "1", "invalid_path"),
        ('"a', "1", "invalid_path"),
        ('"\\x"', "1", "invalid_value"),
        (".".join("abcdefghijk"), "1", "too_deep"),
        ("a__exists", "perhaps", "invalid_value"),
        ("a__in", ",".join(["1"] * 101), "too_many_conditions"),
        ("a" * 201, "1", "too_long"),
        ("a", "\0", "invalid_character"),
        ("a", "\ud800", "invalid_character"),
        ("a", '"\\u0000"', "invalid_character"),
        ("order", "a__lt", "invalid_order"),
        ("order", "a,b,c,d", "too_many_conditions"),
        ("limit", "0", "invalid_value"),
        ("cursor", "nonsense", "invalid_cursor"),
    ],
)
def test_what_is_no_query_is_refused(name: str, value: str, code: str) -> None:
    with pytest.raises(BadQuery) as refused:
        parse_query([(name, value)])
    assert (refused.value.code, refused.value.status) == (code, 400)
    with pytest.raises(BadQuery):
        parse_query([("a", "1")] * (MAX_CONDITIONS + 1))


@pytest.mark.parametrize(
    "position",
    [
        [],
        [1],
        [[0, "1", ""], 1, 1],
        [[9, "1", ""], 1],
        [[0, "1; drop table", ""], 1],
        [[0, "1", "\0"], 1],
        [[0, "1", ""], 2**63],
        [[0, "1", ""], True],
    ],
)
def test_a_made_up_cursor_is_refused(position: list[Any]) -> None:
    cursor = encode_cursor(parse_query([("order", "a")]), position)
    with pytest.raises(BadQuery):
        parse_query([("order", "a"), ("cursor", cursor)])


# Few names and values, which meet often, and some that could end a string or a path.
names = st.sampled_from(["a", "b", "a'b", 'a"b', "a\\", "%s", "é"])
texts = st.sampled_from(
    [*("", "5", "-1.50", "x", "xy", "X", "null", "true", "'; --", '"', "\\", "%", "é\n", "😀")]
)
scalars = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 6), st.sampled_from([0.1, -1.5, 5.0, 1e22]), texts
)
documents = st.dictionaries(
    names,
    st.recursive(
        scalars,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    ),
    max_size=4,
)
paths = st.lists(names, min_size=1, max_size=3).map(lambda path: ".".join(map(json.dumps, path)))
suffixes = st.sampled_from(["", "__ne", "__lt", "__lte", "__gt", "__gte", "__in"])
written = texts | st.tuples(texts, texts).map(",".join) | texts.map(json.dumps)
conditions = st.one_of(
    st.tuples(paths, suffixes, written),
    st.tuples(paths, st.just("__exists"), st.sampled_from(["true", "false"])),
    st.tuples(paths, st.just("__contains"), texts.filter(bool)),
)


@given(
    values=st.lists(documents, min_size=1, max_size=8),
    asked=st.lists(conditions, min_size=1, max_size=2),
    order=st.lists(st.tuples(st.sampled_from(["", "-"]), paths).map("".join), max_size=2),
    limit=st.integers(1, 3),
)
@settings(max_examples=100)
@pytest.mark.slow
@pytest.mark.django_db
def test_sql_finds_and_sorts_as_python_does_page_by_page(
    values: list[Any], asked: list[tuple[str, str, str]], order: list[str], limit: int
) -> None:
    parameters = [(path + suffix, value) for path, suffix, value in asked]
    if any(is_broken_quote(value) for _, value in parameters):
        return
    parsed = parse_query(parameters)
    expected = [number for number, value in enumerate(values) if matches(parsed, value)]
    assert found_in_sql(parsed, values) == expected
    in_order = [("order", ",".join(order)), ("limit", str(limit))]
    orders = parse_query(in_order).orders
    assert pages(in_order, values) == sorted_in_python(values, orders)


def is_broken_quote(value: str) -> bool:
    """Return whether this has quotes that aren't JSON, which is refused."""
    try:
        parse_query([("a", value), ("a__in", value), ("a__contains", value)])
    except BadQuery:
        return True
    return False


def found_in_sql(query: Query, values: Sequence[Any]) -> list[int]:
    rendered = render(query)
    statement = f"SELECT id FROM given WHERE {rendered.matches} ORDER BY id"  # noqa: S608
    rows = select(statement, rendered, values)
    return [number for (number,) in rows]


def pages(parameters: list[tuple[str, str]], values: Sequence[Any]) -> list[int]:
    """Return the ids of all pages, one after the other by their cursors."""
    found: list[int] = []
    cursor: list[tuple[str, str]] = []
    while True:
        query = parse_query([*parameters, *cursor])
        rendered = render(query)
        statement = (
            f"SELECT id, {rendered.position} FROM given WHERE {rendered.where}"  # noqa: S608
            f" ORDER BY {rendered.order_by} LIMIT {query.limit}"
        )
        rows = select(statement, rendered, values)
        if not rows:
            return found
        found += [number for number, _ in rows]
        cursor = [("cursor", encode_cursor(query, json.loads(rows[-1][1])))]


def select(statement: str, rendered: Any, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    given_values = (
        "WITH given AS (SELECT n - 1 AS id, value FROM jsonb_array_elements(%(values)s::jsonb)"
        " WITH ORDINALITY AS each (value, n)) "
    )
    with connection.cursor() as cursor:
        parameters = {**rendered.parameters, "values": json.dumps(list(values))}
        cursor.execute(given_values + statement, parameters)
        found: list[tuple[Any, ...]] = cursor.fetchall()
    return found


def sorted_in_python(values: Sequence[Any], orders: Sequence[Order]) -> list[int]:
    """Sort by the last order first, as sorting is stable; what has no key stays behind."""
    found = list(range(len(values)))
    for order in reversed(orders):
        keys = [sort_key(value, order.path) for value in values]
        found.sort(key=lambda number: keys[number][1:], reverse=order.is_descending)
        found.sort(key=lambda number: keys[number][0])
    return found
