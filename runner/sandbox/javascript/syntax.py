"""Finds syntax errors in JavaScript, without executing it."""

from __future__ import annotations

import re

from runner.sandbox.javascript.engine import JSException, new_context
from runner.sandbox.javascript.errors import place_of
from runner.sandbox.programs import Complaint

# Executed before the code, on the same line: all of it is compiled first.
_STOP = "throw 0;"
# Each text matches in one way only, so it takes linear time. Not by possessive groups, which Python
# 3.11.2 gets wrong.
_EMPTY = re.compile(r"(?:\s|//[^\n]*(?:\n|\Z)|/\*[^*]*\*+(?:[^*/][^*]*\*+)*/)*")
_INSTEAD = {
    "import": "name the function as <<Name>> in a comment; it is there by its name",
    "export": "leave it out; a function is found by its name",
}


def is_empty(code: str) -> bool:
    """Return whether code has only blanks and comments."""
    return _EMPTY.fullmatch(code) is not None


def complaints(code: str) -> list[Complaint]:
    """Return the first syntax error, if there is one."""
    engine = new_context()
    try:
        engine.eval(_STOP + code)
    except JSException as error:
        text = str(error)
        if text.startswith("SyntaxError"):
            message, line, column = place_of(text)
            column = max(column - len(_STOP), 1) if line == 1 else column
            return [_complaint(_explained(message, code, line), line, column)]
    return []


def _explained(message: str, code: str, line: int) -> str:
    lines = code.split("\n")
    text = lines[line - 1].lstrip() if line <= len(lines) else ""
    word = text.split(maxsplit=1)[0] if text else ""
    return f"{message}: {_INSTEAD[word]}" if word in _INSTEAD else message


def _complaint(message: str, line: int, column: int) -> Complaint:
    return Complaint(line, column, "syntax_error", message)
