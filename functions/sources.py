"""What is taken as source text, and what is wrong with it before anybody runs it."""

import ast

from functions.errors import Complaint, Refusal, TooLarge
from runner.sandbox import complaints

LARGEST_SOURCE_BYTES = 100 * 1024


def check_text(text: str, *, field: str) -> None:
    """Refuse text that can't be stored as typed; anything else may be saved, sense or not."""
    for line, row in enumerate(text.split("\n"), start=1):
        for column, character in enumerate(row, start=1):
            if character == "\0":
                what = "A NUL character can't be stored; remove it, or write \\0 in a string."
            elif "\ud800" <= character <= "\udfff":
                what = "Half of a surrogate pair is no character; remove it."
            else:
                continue
            message = f"Line {line}, column {column}: {what}"
            raise Refusal("invalid_character", message, field=field, line=line, column=column)


def check_source(code: str) -> None:
    """Refuse code that is too large, or that can't be stored as typed."""
    size = len(code.encode("utf-8", "surrogatepass"))
    if size > LARGEST_SOURCE_BYTES:
        raise TooLarge(
            "too_large",
            f"This code has {size:,} bytes, and {LARGEST_SOURCE_BYTES:,} is the most that is "
            "taken; split it into several functions.",
            field="code",
        )
    check_text(code, field="code")


def find_syntax_error(code: str, *, name: str) -> Complaint | None:
    """Find the first place where this isn't Python, with a caret below it."""
    for found in complaints(code, name=name):
        if found.code == "syntax_error":
            lines = code.replace("\r\n", "\n").replace("\r", "\n").split("\n")
            text = lines[found.line - 1] if found.line <= len(lines) else ""
            return Complaint(
                "code",
                "syntax_error",
                f"Line {found.line}: {found.message}.",
                found.line,
                found.column,
                excerpt=f"{text}\n{' ' * (found.column - 1)}^",
            )
    return None


def find_policy_fault(code: str, *, name: str) -> str:
    """Say what the sandbox forbids in this code, and where; empty if nothing."""
    found = complaints(code, name=name)
    return f"line {found[0].line}: {found[0].message}" if found else ""


def is_empty(code: str) -> bool:
    """Tell whether code that parses consists of blanks and comments alone."""
    return not ast.parse(code).body
