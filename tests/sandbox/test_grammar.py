"""Sources are made of every kind of statement, expression and pattern that this Python has."""

from __future__ import annotations

import ast

import pytest

from benchmarks.grammar import WITHIN_OTHERS, makers
from runner.sandbox.language.compilation import check

MAKERS = dict(makers())
SORTS = (ast.stmt, ast.expr, ast.pattern)


def test_no_kind_is_left_out() -> None:
    made = {name.partition(".")[0] for name in MAKERS}
    there = {kind.__name__ for sort in SORTS for kind in sort.__subclasses__()}
    # What `ast` keeps for old programs is no kind of the grammar.
    there -= {kind for kind in there if issubclass(getattr(ast, kind), ast.Constant)} - {"Constant"}
    assert there - made - WITHIN_OTHERS == set()
    assert made <= there
    assert len(MAKERS) > 150


@pytest.mark.parametrize("name", MAKERS)
def test_sources_grow_and_can_be_checked(name: str) -> None:
    small, large = (MAKERS[name](size) for size in (12_000, 24_000))
    assert 4_000 < len(small) < 20_000
    assert 1.4 * len(small) < len(large) < 3 * len(small)
    # Python itself goes no deeper into alternatives of a pattern.
    found = {complaint.message for complaint in check(small, name="F").complaints}
    assert not found or (name == "MatchOr.patterns many" and "nested too deeply" in found.pop())
