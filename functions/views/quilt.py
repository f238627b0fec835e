"""Markup of what a page has thousands of: templates take ten times as long for it."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from html import escape

from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from functions.pages.squares import Square
from functions.views.panels import ResultsPanel, Row, SquareShown

_NO_KEY = "0" * 64
_GAP = ' class="q-gap"'
_FOCUS = ' aria-current="true"'
_COUNTS = " data-counts"


def quilt_rows(panel: ResultsPanel) -> Iterator[tuple[Row, SafeString]]:
    """Yield the rows of the quilt, each with its squares as cells of the table."""
    tests = [escape(f"{one.card.label} {one.card.title}".strip()) for one in panel.columns]
    for row in panel.rows:
        who = escape(f"{row.card.label} {row.card.author}, ")
        cells = [
            _cell(shown, who + test, is_focus=shown is panel.focus)
            for shown, test in zip(row.squares, tests, strict=True)
        ]
        yield row, mark_safe("".join(cells))  # noqa: S308 - what people wrote is escaped in each


def _cell(shown: SquareShown, label: str, *, is_focus: bool) -> str:
    square, word = shown.square, shown.word
    href, known = _known(square) if square else ("", "")
    return (
        f'<td{_GAP if shown.gap else ""}><a class="sq" href="{href or f"#{shown.test.label}"}"'
        f' data-cell="{shown.cell}" data-state="{shown.state}" data-word="{word}"'
        f' data-label="{label}"{_COUNTS if shown.test.counts else ""}{known}'
        f' title="{label}: {word}"{_FOCUS if is_focus else ""}>'
        f'<span class="sr-only">{label}: {word}</span></a></td>'
    )


def _known(square: Square) -> tuple[str, str]:
    """Return where a square leads, and the attributes that tell what is known of it."""
    href = known = ""
    if square.key:
        before, after = _result_address()
        href, known = f"{before}{square.key}{after}", f' data-key="{square.key}"'
    if square.message:
        known += f' data-detail="{escape(square.message)}"'
    if square.line:
        known += f' data-line="{square.line}"'
    if square.cpu_us is not None:
        known += f' data-cpu="{square.cpu_us}"'
    return href, known


@lru_cache(maxsize=1)
def _result_address() -> tuple[str, str]:
    """Return what stands before and after the key in the address of a result."""
    before, _, after = reverse("result", args=[_NO_KEY]).partition(_NO_KEY)
    return before, after


def strip_of(marks: Iterable[tuple[str, str]]) -> SafeString:
    """Return a strip's marks: each a state and, where it stands for one square, its cell."""
    parts = (
        f'<i data-state="{state}" data-cell="{cell}"></i>'
        if cell
        else f'<i data-state="{state}"></i>'
        for state, cell in marks
    )
    return mark_safe("".join(parts))  # noqa: S308 - states are words of ours, cells two numbers
