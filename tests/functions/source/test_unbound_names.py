"""Names that code reads and that nothing binds."""

import ast
import keyword

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.source.unbound_names import unbound_names


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("x = y", ["y 1:5"]),
        ("def f(a):\n    return lenn(a)", ["lenn 2:12 len"]),
        ("class A(Base):\n    n = size", ["Base 1:9", "size 2:9"]),
        ("'é'; é = 1; print(é, ö)", ["ö 1:22"]),
        ("x = [z for z in rows if z]", ["rows 1:17"]),
        ("def f():\n    return g()\ndef g(): ...", []),
        ("import os\nfrom math import pi\nx = os, pi", []),
        ("def f():\n    global x\n    x = 1\nprint(x)", []),
        ("log(check, len, __name__, __file__)", []),
        ("for i in ():\n    j = i\nprint(i, j)", []),
        ("class A:\n    x = __qualname__\n    y = __module__\n    def f(self): __class__", []),
        ("Add(Sum)", ["Sum 1:5"]),
        ("from math import *\nfloor(2)", []),
        ("lambda: missing\r\nx = gone", ["missing 1:9", "gone 2:5"]),
        ("def f(x):\n    x = 1\ndef g():\n    return x", ["x 4:12"]),
        ("try: ...\nexcept E as e: print(e)", ["E 2:8"]),
    ],
)
def test_each_is_found_at_its_first_use(code: str, found: list[str]) -> None:
    names = unbound_names(code, ["Add"])
    said = [f"{one.name} {one.line}:{one.column} {one.similar}".strip() for one in names]
    assert said == found


NAMES = st.text("abcdefg", min_size=1, max_size=3).filter(lambda name: not keyword.iskeyword(name))


@given(NAMES, NAMES, st.sampled_from(["{} = {}", "def f({}):\n    return {}", "[{} for z in {}]"]))
def test_what_is_received_is_bound(first: str, second: str, form: str) -> None:
    code = form.format(first, second)
    ast.parse(code)
    assert unbound_names(code, [first, second]) == []
    assert {one.name for one in unbound_names(code, [])} <= {first, second}
