"""How drafts for a signature start."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.source.signatures import starter


@pytest.mark.parametrize(
    ("signature", "parameters", "arguments", "returns"),
    [
        ("(a: int, b: int) -> int", "a, b", "2, 3", "int"),
        ("(text: str) → bool", "text", '"abc"', "bool"),
        ("(words: list[str], limit: int = 3)", "words, limit=3", '["a", "b"]', ""),
        ("(x: float | None, *, base: int, deep=True)", "x, *, base, deep=True", "1.5, base=2", ""),
        ("(rows: collections.abc.Sequence[int])", "rows", "[1, 2, 3]", ""),
        ("(graph: Graph, node)", "graph, node", "..., ...", ""),
        ("() -> dict[str, int]", "", "", "dict[str, int]"),
        ("(a, /, *rest, **named)", "a, /, *rest, **named", "...", ""),
    ],
)
def test_a_signature_gives_parameters_and_arguments_to_try(
    signature: str, parameters: str, arguments: str, returns: str
) -> None:
    assert starter(signature) == [parameters, arguments, returns]


@given(st.text(max_size=60))
def test_whatever_is_typed_starts_code_or_nothing(signature: str) -> None:
    if found := starter(signature):
        ast.parse(f"def F({found[0]}): ...")
        ast.parse(f"F({found[1]})")
