"""Rewritten asserts do what Python's do, on whatever expressions and values."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from runner.sandbox.supervisor.protocol import LONGEST_MESSAGE
from tests.sandbox.rewritten import executed, said_of

# --- random conditions: calls of `v(number, value)`, which note that they were evaluated ---------


class _Expressions:
    """Random sources; every `v(...)` in them has a number of its own."""

    def __init__(self, draw: Any) -> None:
        self._draw = draw
        self._count = 0

    def source(self, depth: int = 3) -> str:
        kinds = ["value"] if not depth else list(self._MAKERS)
        made: str = self._MAKERS[self._draw(st.sampled_from(kinds))](self, depth - 1)
        return made

    def _value(self, _depth: int) -> str:
        self._count += 1
        return f"v({self._count}, {self._draw(st.sampled_from(['0', '1', '2', '()', '[3]']))})"

    def _several(self, depth: int) -> list[str]:
        return [self.source(depth) for _ in range(self._draw(st.integers(2, 3)))]

    def _compared(self, depth: int) -> str:
        first, *rest = self._several(depth)
        signs = st.sampled_from(["==", "!=", "is", "is not", "<", ">="])
        return f"({first} {' '.join(f'{self._draw(signs)} {side}' for side in rest)})"

    _MAKERS: dict[str, Any] = {
        "value": _value,
        "and": lambda self, depth: f"({' and '.join(self._several(depth))})",
        "or": lambda self, depth: f"({' or '.join(self._several(depth))})",
        "not": lambda self, depth: f"(not {self.source(depth)})",
        "if": lambda self, depth: (
            f"({self.source(depth)} if {self.source(depth)} else {self.source(depth)})"
        ),
        "compared": _compared,
        "named": lambda self, depth: f"(name := {self.source(depth)})",
        "called": lambda self, depth: f"v(0, {self.source(depth)})",
        "displayed": lambda self, depth: f"[{', '.join(self._several(depth))}]",
        "subscript": lambda self, depth: f"[{self.source(depth)}][{self._value(depth)}]",
        "starred": lambda self, depth: f"v(*[0, {self.source(depth)}])",
        "keyword": lambda self, depth: f"v(number=0, value={self.source(depth)})",
        "attribute": lambda self, depth: f"{self.source(depth)}.real",
        "added": lambda self, depth: f"({self.source(depth)} + {self.source(depth)})",
        "all": lambda self, depth: f"all({self.source(depth)} for n in v(0, [1, 0, 2]))",
        "any": lambda self, depth: (
            f"any(v(n, n) if n else {self.source(depth)} for n in [0, 1] if {self.source(depth)})"
        ),
        "lambda": lambda self, depth: f"(lambda: {self.source(depth)})()",
        "list": lambda self, depth: f"[{self.source(depth)} for n in v(0, [1, 0])]",
    }


@st.composite
def conditions(draw: Any) -> str:
    return _Expressions(draw).source()


def _outcome(run: Any, source: str) -> tuple[list[Any], str, str, Any]:
    """What was evaluated, in order, and how it ended."""
    noted: list[Any] = []

    def v(number: int, value: Any) -> Any:
        noted.append((number, value))
        return value

    module: dict[str, Any] = {"v": v}
    try:
        run(source, module)
    except (AssertionError, AttributeError, TypeError, IndexError, NameError) as error:
        return noted, type(error).__name__, str(error), error.args
    return noted, "", "", ()


def _plainly(source: str, module: dict[str, Any]) -> None:
    exec(source, module)  # noqa: S102


def _rewritten(source: str, module: dict[str, Any]) -> None:
    executed(source, **module)


@given(conditions())
@settings(max_examples=150, deadline=None)
def test_conditions_come_out_as_in_python_each_part_evaluated_as_often(condition: str) -> None:
    ast.parse(condition)
    for source in (
        f"assert {condition}, v(99, 'why')",
        f"def f():\n    assert {condition}\nf()",
        f"class A:\n    n = 1\n    assert v(1, 1) == 1 and {condition}\n"
        if ":=" not in condition
        else f"assert {condition}",
    ):
        assert _outcome(_rewritten, source) == _outcome(_plainly, source), source


# --- random values ------------------------------------------------------------------------------


@dataclass
class Record:
    name: Any
    tags: Any = ()


_SIMPLE = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.binary()
    | st.text("ab\n", max_size=200)
    | st.integers(10**20, 10**300)
)
_VALUES = st.recursive(
    _SIMPLE,
    lambda inner: (
        st.lists(inner, max_size=8)
        | st.dictionaries(st.text(max_size=4) | st.integers(), inner, max_size=8)
        | st.tuples(inner, inner)
        | st.builds(Record, inner, inner)
        | st.sets(st.integers() | st.text(), max_size=20)
    ),
    max_leaves=30,
)


@given(_VALUES, _VALUES)
@settings(max_examples=150, deadline=None)
def test_whatever_differs_is_told_in_no_more_than_is_allowed(left: Any, right: Any) -> None:
    if left is right or left == right:
        return
    for source in ("assert left == right", "assert not left != right", "assert left in [right]"):
        said = said_of(source, left=left, right=right)
        assert 0 < len(said) <= LONGEST_MESSAGE


@st.composite
def nested_differences(draw: Any) -> tuple[Any, Any, str]:
    """Two values that are the same but for one part, and the path of that."""
    left: Any = "before" * 20
    right: Any = "after" * 20
    path = ""
    for kind in draw(st.lists(st.sampled_from("ldtr"), min_size=1, max_size=6)):
        beside = draw(st.lists(_SIMPLE.filter(lambda value: [value] == [value]), max_size=5))
        match kind:
            case "l":
                left, right = [*beside, left, "last"], [*beside, right, "last"]
                path = f"[{len(beside)}]{path}"
            case "t":
                left, right = (*beside, left), (*beside, right)
                path = f"[{len(beside)}]{path}"
            case "d":
                left, right = {"b": beside, "key": left}, {"key": right, "b": beside}
                path = f"['key']{path}"
            case _:
                left, right = Record(beside, left), Record(beside, right)
                path = f".tags{path}"
    return left, right, path


@given(nested_differences())
@settings(max_examples=150, deadline=None)
def test_the_path_to_the_first_difference_is_told(case: tuple[Any, Any, str]) -> None:
    left, right, path = case
    said = said_of("assert left == right", left=left, right=right)
    assert f"at {path}: 'before" in said
    assert said.index("before") < said.index("after")
