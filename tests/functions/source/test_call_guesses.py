"""Signatures that are guessed from calls."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.source.call_guesses import guess_signature


@pytest.mark.parametrize(
    ("code", "signature"),
    [
        ("# <<Join>>\nx = Join(words, ', ')\n", "(words, b)"),
        ("Join()", "()"),
        ("Join(f(a, b), [1, 2], end=3,)", "(a, b, end)"),
        ("Join(row, row)", "(row, b)"),
        ('Join(\'a)\', "b\\"")', "(a, b)"),
        ("other.Join(1)\nRejoin(2)\n# <<Join>>", ""),
        ("Join(1, 2", ""),
        ("Join(None, True)", "(a, b)"),
    ],
)
def test_a_call_tells_the_parameters(code: str, signature: str) -> None:
    assert guess_signature("Join", ["# nothing", code]) == signature


@given(st.text("Join(),='\"\\[a ", max_size=60))
def test_whatever_the_code_the_guess_has_different_names(code: str) -> None:
    if guess := guess_signature("Join", [code])[1:-1]:
        names = guess.split(", ")
        assert len({*names}) == len(names)
        assert all(name.isidentifier() for name in names)
