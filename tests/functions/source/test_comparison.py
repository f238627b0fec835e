"""Expected and actual values, read from the messages of failed assertions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.source.comparison import Comparison, read_comparison


@pytest.mark.parametrize(
    ("message", "assertion", "expected", "got"),
    [
        ("3 == 4, where f(x) is 3 and x is 1", "assert f(x) == 4", "4", "3"),
        ("12 == 3, where f(1) is 3", "assert 12 == f(1)", "12", "3"),
        ("'a == b' == 'c'", "assert f() == 'c'", "'c'", "'a == b'"),
        ("{'a': 1} == {'a': 2}", "assert f() == {'a': 2}", "{'a': 2}", "{'a': 1}"),
        ("0.3 == 0.4 (they differ by 0.1)", "assert f() == 0.4", "0.4", "0.3"),
        ("<Point object> == 3", "assert f() == 3", "3", "<Point object>"),
        ("f('==') == 2", "assert x == 2", "2", "f('==')"),
    ],
)
def test_a_plain_comparison_has_two_sides(
    message: str, assertion: str, expected: str, got: str
) -> None:
    assert read_comparison(message, assertion, "f") == Comparison(expected, got)


@pytest.mark.parametrize(
    "message",
    [
        "too small: 1 == 2",
        "1 == 2 or 2 == 3, where x is 1",
        "not 1 == 1, where x is 1",
        "3 > 4",
        "1 == 2 and 2 == 3",
        "at [57]: 57 != 0\n   [1, 2]\n== [3, 4]",
        "",
    ],
)
def test_anything_else_is_shown_as_it_is(message: str) -> None:
    assert read_comparison(message, "assert f() == 2", "f") is None


VALUES = st.recursive(
    st.none() | st.integers() | st.text(max_size=8) | st.binary(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)


@given(VALUES, VALUES)
def test_any_two_values_are_told_apart(got: object, expected: object) -> None:
    found = read_comparison(f"{got!r} == {expected!r}, where f() is {got!r}", "f() == x", "f")
    assert found == Comparison(repr(expected), repr(got))
