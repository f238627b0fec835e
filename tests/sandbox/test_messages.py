"""What is said about refused code and failing assertions: where, what, and what to do instead."""

from __future__ import annotations

import threading

import pytest

from runner.sandbox.compilation import complaints
from tests.sandbox.conftest import RunSource

REFUSED = {
    "x = 1\nimport tempfile, math": (
        2,
        1,
        "policy",
        "`tempfile` can't be imported here: programs ",
    ),
    "from .a import b": (1, 1, "policy", "name the function as <<Name>>"),
    "def f():\n    return f.__globals__": (2, 12, "policy", "`__globals__` is out of reach here"),
    "open('x')\nx = compile('1', '', 'eval')": (
        2,
        5,
        "policy",
        "eval(text) and exec(text) run text",
    ),
    "x = compile": (1, 5, "policy", "`compile` isn't available here"),
    "__builtins__": (1, 1, "policy", "use the builtins by their names"),
    "class A:\n    def __del__(self): pass": (2, 5, "policy", "use `with` and __exit__"),
    "x.gi_frame": (1, 1, "policy", "keep what you need in names"),
    "match x:\n    case A(_b=1): pass": (2, 10, "policy", "compare it after `if`"),
    "_write_ = 1": (1, 1, "policy", "`_write_` is reserved"),
    "x = (1,\n  2": (1, 5, "syntax_error", "'(' was never closed"),
    "def f(:": (1, 7, "syntax_error", "invalid syntax"),
    "return 1": (1, 1, "syntax_error", "'return' outside function"),
    "if x:\npass": (2, 1, "syntax_error", "expected an indented block"),
    "a = '\\0'\nb = '\0'": (2, 6, "syntax_error", "NUL"),
    "a = 'é\ud800'": (1, 7, "syntax_error", "surrogate"),
    "x = " + "-" * 3000 + "1": (1, 1, "syntax_error", "nested too deeply"),
    "x = " + "(" * 300 + ")" * 300: (1, 205, "syntax_error", "too many nested parentheses"),
    "#" * 300_000: (1, 1, "syntax_error", "longer than 256 KiB"),
    "nonlocal x": (1, 1, "syntax_error", "nonlocal declaration not allowed at module level"),
}


@pytest.mark.parametrize("source", REFUSED, ids=lambda source: ascii(source[:24]))
def test_refused_code_is_told_its_place_and_a_way_out(source: str) -> None:
    line, column, code, message = REFUSED[source]
    found = complaints(source, name="F")[0]
    assert (found.line, found.column, found.code) == (line, column, code), found
    assert message in found.message


def test_all_complaints_come_in_the_order_of_their_lines() -> None:
    found = complaints("import socket\nx.__globals__\nimport dis\n", name="F")
    assert [complaint.line for complaint in found] == [1, 2, 3]


def test_sound_code_has_no_complaints_and_is_not_executed() -> None:
    assert complaints("raise SystemError('executed')\r\nx = 1\r\n", name="F") == []


def test_complaints_may_be_asked_for_from_several_threads() -> None:
    source = "x = " + " + ".join(["1"] * 300)
    found: list[object] = []
    threads = [
        threading.Thread(target=lambda: found.append(complaints(source, name="F")))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[]] * 8


ASSERTIONS = {
    "assert Multiply(2, 3) == 7": "6 == 7, where Multiply(2, 3) is 6",
    "assert 7 == Multiply(2, 3)": "7 == 6, where Multiply(2, 3) is 6",
    "assert x > y, 'too small'": "too small: 1 > 2, where x is 1 and y is 2",
    "assert x not in [1, 2]": "1 not in [1, 2], where x is 1",
    "assert x is None": "1 is None, where x is 1",
    "assert not x": "x is 1",
    "assert x and y == 3": "2 == 3, where y is 2",
    "assert 1 == 2": "1 == 2",
    "assert 'é' + text == (\n    'b'\n)": "'éa' == 'b', where 'é' + text is 'éa' and text is 'a'",
    "assert Odd() == 1": "<Odd, whose repr fails> == 1, where Odd() is <Odd, whose repr fails>",
    "assert False, (1, 2)": "(1, 2)",
}


@pytest.mark.parametrize("code", ASSERTIONS)
def test_a_failing_assertion_tells_its_values(run_test: RunSource, code: str) -> None:
    setting = (
        "x, y, text = 1, 2, 'a'\ndef Multiply(a, b): return a * b\n"
        "class Odd:\n    def __repr__(self): raise ValueError\n"
    )
    outcome = run_test("F = 1", setting + code)
    assert outcome.message == ASSERTIONS[code]
    assert outcome.line == 5
