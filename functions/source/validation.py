"""Validation of source text."""

from collections.abc import Sequence

from functions.errors import Refusal, TooLarge
from functions.errors import gettext as _
from runner.sandbox.programs import Complaint

MAX_SOURCE_BYTES = 100 * 1024


def check_text(text: str, *, field: str, longest: int | None = None) -> None:
    """Refuse text with characters that can't be stored, or with more than `longest` characters."""
    for line, row in enumerate(text.split("\n"), start=1):
        for column, character in enumerate(row, start=1):
            if character == "\0":
                message = _(
                    "Line %(line)s, column %(column)s: A NUL character can't be stored; "
                    "remove it, or write \\0 in a string."
                )
            elif "\ud800" <= character <= "\udfff":
                message = _(
                    "Line %(line)s, column %(column)s: A lone surrogate is not a character; "
                    "remove it."
                )
            else:
                continue
            message %= {"line": line, "column": column}
            raise Refusal("invalid_character", message, field=field, line=line, column=column)
    if longest is not None and len(text) > longest:
        raise Refusal("too_long", _too_long(field, len(text), longest), field=field)


def _too_long(field: str, size: int, longest: int) -> str:
    sentences = {
        "title": _("The title has %(size)s characters; the limit is %(limit)s."),
        "signature": _("The signature has %(size)s characters; the limit is %(limit)s."),
        "description": _("The description has %(size)s characters; the limit is %(limit)s."),
        "reason": _("The reason has %(size)s characters; the limit is %(limit)s."),
        "note": _("The note has %(size)s characters; the limit is %(limit)s."),
        "about": _("The text has %(size)s characters; the limit is %(limit)s."),
        "text": _("The text has %(size)s characters; the limit is %(limit)s."),
    }
    return sentences[field] % {"size": f"{size:,}", "limit": f"{longest:,}"}


def check_source(code: str) -> None:
    """Refuse code that is too large, or that can't be stored as typed."""
    size = len(code.encode("utf-8", "surrogatepass"))
    if size > MAX_SOURCE_BYTES:
        raise TooLarge(
            "too_large",
            _(
                "This code has %(size)s bytes; the limit is %(limit)s. "
                "Split it into several functions."
            )
            % {"size": f"{size:,}", "limit": f"{MAX_SOURCE_BYTES:,}"},
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
