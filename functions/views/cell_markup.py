"""Markup of what a page has thousands of: templates take ten times as long for it."""

from collections.abc import Iterable
from functools import lru_cache
from html import escape
from typing import NamedTuple

from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from functions.markup import duration
from functions.read_models.cells import MatrixCell
from functions.views.results_panel import LogEntry, ResultsPanel, Row, state_of, word_of

# Escaped, nobody can write it.
PLACE_OF_ROWS = SafeString("<rows>")
_NO_KEY = "0" * 64
_GAP = ' class="q-gap"'
_FOCUS = ' aria-current="true"'
_COUNTS = " data-counts"
_CHALLENGE = " data-challenge"
_DIM = " data-dim"
_CURRENT = " data-current"


class _Column(NamedTuple):
    """What each square says of its test."""

    id: int
    anchor: str
    words: str
    counts: bool
    challenge: bool
    gap: bool


def page_with_rows(page: str, panel: ResultsPanel) -> list[str | bytes]:
    """Put the rows of the quilt in their place, once everything around them is rendered.

    They are most of a page: templates would copy them ten times, and then they'd be encoded.
    """
    before, place, after = page.partition(PLACE_OF_ROWS)
    return [before, matrix_rows(panel) if place else b"", after]


def matrix_rows(panel: ResultsPanel) -> bytes:
    """Return the rows of the quilt: an implementation, its squares, and what they come to."""
    columns = tuple(
        _Column(
            one.card.id,
            one.card.label,
            f"{one.card.label} {one.card.title}".strip(),
            one.card.counts,
            one.card.may_gain_standing,
            one.gap,
        )
        for one in panel.columns
    )
    return b"".join([_row(row, columns, _focused(row, panel)) for row in panel.rows])


def _focused(row: Row, panel: ResultsPanel) -> int | None:
    """Return the place of the square in this row that is focused, if one is."""
    focus = panel.focus
    if focus is None or focus.implementation is not row.card:
        return None
    return [column.card for column in panel.columns].index(focus.test)


def _row(row: Row, columns: tuple[_Column, ...], focused: int | None) -> bytes:
    """Return a row; what people wrote is escaped in it."""
    card = row.card
    cells = _cells(card.id, f"{card.label} {card.author}", columns, row.results, focused)
    counting = [state for state, column in zip(row.states, columns, strict=True) if column.counts]
    head = (
        f'<tr data-implementation="{card.id}"{_CURRENT if card.is_current else ""}'
        f'{_DIM if row.is_dim else ""}><th scope="row">'
        f'<a href="#{f"I{card.number}" if card.number else "draft"}">'
        f'<span class="num">{card.label}</span><span class="q-who">{escape(card.author)}</span>'
        '<svg class="i q-flag" aria-hidden="true"><use href="#i-flag"/></svg>'
        f'<span class="sr-only q-current">{"current" if card.is_current else ""}</span>'
        f'<span class="q-title">{escape(card.title)}</span></a></th>'
    )
    sums = (
        f'<td class="q-sum" data-sum="passed">{counting.count("passed")}/{len(counting)}</td>'
        f'<td class="q-sum" data-sum="median">{duration(card.cpu_us)}</td></tr>'
    )
    return b"".join((head.encode(), cells, sums.encode()))


@lru_cache(maxsize=256)  # rows of hundreds of squares are tens of kilobytes
def _cells(
    implementation: int,
    who: str,
    columns: tuple[_Column, ...],
    results: tuple[MatrixCell | None, ...],
    focused: int | None,
) -> bytes:
    """Return the squares of a row, made once: most are looked at far more often than they change.

    One of them may be focused, by its place.
    """
    cells = "".join(
        _cell(f"{implementation}:{column.id}", who, column, result, _FOCUS if is_focus else "")
        for column, result, is_focus in zip(
            columns, results, (place == focused for place in range(len(results))), strict=True
        )
    )
    return cells.encode()


def _cell(cell: str, who: str, column: _Column, result: MatrixCell | None, focus: str) -> str:
    """Return a square. Scripts read its key from where it leads, and its words from its title."""
    href = _result_url(result.key) if result and result.key else f"#{column.anchor}"
    known = ""
    if result:
        if result.message:
            known = f' data-detail="{escape(result.message)}"'
        if result.line:
            known += f' data-line="{result.line}"'
        if result.cpu_us is not None:
            known += f' data-cpu="{result.cpu_us}"'
    sentence = escape(f"{who}, {column.words}: {word_of(result)}")
    return (
        f'<td{_GAP if column.gap else ""}><a class="sq" href="{href}"'
        f' data-cell="{cell}" data-state="{state_of(result)}"'
        f"{_COUNTS if column.counts else ''}{_CHALLENGE if column.challenge else ''}{known}{focus}"
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
