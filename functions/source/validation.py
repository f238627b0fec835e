"""Validation of source text."""

from collections.abc import Sequence

from functions.errors import Refusal, TooLarge
from runner.sandbox.programs import Complaint

MAX_SOURCE_BYTES = 100 * 1024


def check_text(text: str, *, field: str, longest: int | None = None) -> None:
    """Refuse text with characters that can't be stored, or with more than `longest` characters."""
    for line, row in enumerate(text.split("\n"), start=1):
        for column, character in enumerate(row, start=1):
            if character == "\0":
                what = "A NUL character can't be stored; remove it, or write \\0 in a string."
            elif "\ud800" <= character <= "\udfff":
                what = "A lone surrogate is not a character; remove it."
            else:
                continue
            message = f"Line {line}, column {column}: {what}"
            raise Refusal("invalid_character", message, field=field, line=line, column=column)
    if longest is not None and len(text) > longest:
        message = f"The {field} has {len(text):,} characters; the limit is {longest:,}."
        raise Refusal("too_long", message, field=field)


def check_source(code: str) -> None:
    """Refuse code that is too large, or that can't be stored as typed."""
    size = len(code.encode("utf-8", "surrogatepass"))
    if size > MAX_SOURCE_BYTES:
        raise TooLarge(
            "too_large",
            f"This code has {size:,} bytes; the limit is {MAX_SOURCE_BYTES:,}. "
            "Split it into several functions.",
            field="code",
        )
    check_text(code, field="code")


def describe_first(found: Sequence[Complaint]) -> str:
    """Return the first complaint of the sandbox's compiler with its line; empty if none."""
    return f"line {found[0].line}: {found[0].message}" if found else ""


def returns_of(signature: str) -> str:
    """Return the return annotation as typed; empty if there is none."""
    _, arrow, annotation = signature.replace("→", "->").rpartition("->")
    return annotation.strip() if arrow else ""
