"""Markup of what a page has thousands of: templates take ten times as long for it."""

from collections.abc import Iterable
from functools import lru_cache
from html import escape

from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from functions.rendering import duration
from functions.views.panels import LogEntry, ResultsPanel, Row, SquareShown

_NO_KEY = "0" * 64
_GAP = ' class="q-gap"'
_FOCUS = ' aria-current="true"'
_COUNTS = " data-counts"
_DIM = " data-dim"
_CURRENT = " data-current"


def quilt_rows(panel: ResultsPanel) -> SafeString:
    """Return the rows of the quilt: an implementation, its squares, and what they come to."""
    tests = [escape(f"{one.card.label} {one.card.title}".strip()) for one in panel.columns]
    rows = [_row(row, tests, panel.focus) for row in panel.rows]
    return mark_safe("".join(rows))  # noqa: S308 - what people wrote is escaped in each


def _row(row: Row, tests: Iterable[str], focus: SquareShown | None) -> str:
    card = row.card
    who = escape(f"{card.label} {card.author}, ")
    cells = [
        _cell(shown, f"{who}{test}: {shown.word}", _FOCUS if shown is focus else "")
        for shown, test in zip(row.squares, tests, strict=True)
    ]
    return (
        f'<tr data-implementation="{card.id}"{_CURRENT if card.is_current else ""}'
        f'{_DIM if row.is_dim else ""}><th scope="row">'
        f'<a href="#{f"I{card.number}" if card.number else "draft"}">'
        f'<span class="num">{card.label}</span><span class="q-who">{escape(card.author)}</span>'
        '<svg class="i q-flag" aria-hidden="true"><use href="#i-flag"/></svg>'
        f'<span class="sr-only q-current">{"current" if card.is_current else ""}</span>'
        f'<span class="q-title">{escape(card.title)}</span></a></th>{"".join(cells)}'
        f'<td class="q-sum" data-sum="passed">{row.passed}/{row.counting}</td>'
        f'<td class="q-sum" data-sum="median">{duration(card.cpu_us)}</td></tr>'
    )


def _cell(shown: SquareShown, sentence: str, focus: str) -> str:
    """Return a square. Scripts read its key from where it leads, and its words from its title."""
    card, test, square, gap, state = shown
    href = _result_url(square.key) if square and square.key else f"#{test.label}"
    known = ""
    if square:
        if square.message:
            known = f' data-detail="{escape(square.message)}"'
        if square.line:
            known += f' data-line="{square.line}"'
        if square.cpu_us is not None:
            known += f' data-cpu="{square.cpu_us}"'
    return (
        f'<td{_GAP if gap else ""}><a class="sq" href="{href}"'
        f' data-cell="{card.id}:{test.id}" data-state="{state}"'
        f"{_COUNTS if test.counts else ''}{known}{focus}"
        f' title="{sentence}"><span class="sr-only">{sentence}</span></a></td>'
    )


def _result_url(key: str) -> str:
    before, after = _result_address()
    return f"{before}{key}{after}"


@lru_cache(maxsize=1)
def _result_address() -> tuple[str, str]:
    """Return what stands before and after the key in the address of a result."""
    before, _, after = reverse("result", args=[_NO_KEY]).partition(_NO_KEY)
    return before, after


def strip_of(marks: Iterable[tuple[str, str]]) -> SafeString:
    """Return a strip's marks: each a state and, where it stands for one square, its cell."""
    parts = [
        f'<i data-state="{state}" data-cell="{cell}"></i>'
        if cell
        else f'<i data-state="{state}"></i>'
        for state, cell in marks
    ]
    return mark_safe("".join(parts))  # noqa: S308 - states are words of ours, cells two numbers


def log_lines(entries: Iterable[LogEntry]) -> SafeString:
    """Return the lines of a log."""
    return mark_safe("".join(map(_log_line, entries)))  # noqa: S308 - escaped in each


def _log_line(entry: LogEntry) -> str:
    where = escape(entry.where)
    place = f'<a href="{_result_url(entry.key)}">{where}</a>' if entry.key else "<span></span>"
    return (
        f'<div class="log-line" data-kind="{entry.kind}" data-line="{entry.id}"'
        f' data-of="{entry.key}"><time>{entry.time}</time>{place}'
        f'<span class="log-kind">{entry.name}</span>'
        f'<div class="log-text">{escape(entry.text)}</div></div>'
    )
