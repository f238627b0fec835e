"""Formatting keeps what code means."""

import pytest

from functions.errors import Refusal
from functions.source.formatter import format_code


def test_code_is_formatted_once_and_for_all() -> None:
    formatted = format_code("#<<Add>>\r\ndef f( a ):\r\n  return Add( a,1 )")
    assert formatted == "# <<Add>>\r\ndef f(a):\r\n    return Add(a, 1)\r\n"
    assert format_code(formatted) == formatted


@pytest.mark.parametrize("code", ["def f(:", "'''", "\t x = 1\n  y", "print 'x'"])
def test_what_does_not_parse_is_refused(code: str) -> None:
    with pytest.raises(Refusal, match="without syntax errors"):
        format_code(code)


def test_a_fault_of_blacks_is_a_refusal() -> None:
    with pytest.raises(Refusal):
        format_code('def f(n):\n    if f"{n < 0:\n        raise ValueError("at 0")\n')
