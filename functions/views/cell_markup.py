"""Markup of cells and log lines, built without templates, which are ten times slower."""

from collections.abc import Container, Hashable, Iterable
from functools import lru_cache
from html import escape
from typing import NamedTuple

from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from functions.read_models.cells import MatrixCell
from functions.sized_cache import SizedCache
from functions.views.markup import duration
from functions.views.results_panel import (
    LogEntry,
    ResultsPanel,
    Row,
    former_state_of,
    label_of,
    state_of,
)

# User text can't contain it, as that is escaped.
PLACE_OF_ROWS = SafeString("<rows>")
_NO_KEY = "0" * 64
# Characters of a key in a cell's link: keys are random, so whole ones would be most of a page.
SHORT_KEY = 16
_GAP = ' class="q-gap"'
_FOCUS = ' aria-current="true"'
_COUNTS = " data-counts"
_CHALLENGE = " data-challenge"
_DIM = " data-dim"
_CURRENT = " data-current"
# The cells of rows, with keys that take about as much. A row may have tens of kilobytes, and a page
# a thousand rows.
_MOST_BYTES_OF_CELLS = 16_000_000
_KEYS = 2
_rows_cells: SizedCache[Hashable, bytes] = SizedCache(_MOST_BYTES_OF_CELLS)


class _Column(NamedTuple):
    """The part of a cell's markup that depends on its test."""

    id: int
    anchor: str
    words: str
    counts: bool
    challenge: bool
    gap: bool


def page_with_rows(page: str, panel: ResultsPanel, anchors: Container[str]) -> list[str | bytes]:
    """Insert the matrix rows into the rendered page, as separate encoded chunks.

    Implementations whose `anchors` the page doesn't have are reached by another page.

    They are most of a page, and templates would copy them ten times.
    """
    before, place, after = page.partition(PLACE_OF_ROWS)
    return [before, matrix_rows(panel, anchors) if place else b"", after]


def matrix_rows(panel: ResultsPanel, anchors: Container[str] | None = None) -> bytes:
    """Return the rows of the results matrix: implementation, cells and totals."""
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
    return b"".join([_row(row, columns, _focused(row, panel), anchors) for row in panel.rows])


def _focused(row: Row, panel: ResultsPanel) -> int | None:
    """Return the index of the focused cell, if it is in this row."""
    focus = panel.focus
    if focus is None or focus.implementation is not row.card:
        return None
    return [column.card for column in panel.columns].index(focus.test)


def _row(
    row: Row, columns: tuple[_Column, ...], focused: int | None, anchors: Container[str] | None
) -> bytes:
    """Return the escaped markup of a row."""
    card = row.card
    anchor = f"I{card.number}" if card.number else "draft"
    is_elsewhere = anchors is not None and anchor not in anchors
    who = f"{card.label} {card.author}"
    cells = _cells(card.id, who, columns, row.results, focused)
    counting = [state for state, column in zip(row.states, columns, strict=True) if column.counts]
    head = (
        f'<tr data-implementation="{card.id}"{_CURRENT if card.is_current else ""}'
        f'{_DIM if row.is_dim else ""}><th scope="row">'
        f'<a href="{f"?open={anchor}" if is_elsewhere else ""}#{anchor}">'
        f'<span class="num">{card.label}</span><span class="q-who">{escape(card.author)}</span>'
        '<svg class="i q-flag" aria-hidden="true"><use href="#i-flag"/></svg>'
        f'<span class="sr-only q-current">{_("current") if card.is_current else ""}</span>'
        f'<span class="q-title">{escape(card.title)}</span></a></th>'
    )
    sums = (
        f'<td class="q-sum" data-sum="passed">{counting.count("passed")}/{len(counting)}</td>'
        f'<td class="q-sum" data-sum="median">{duration(card.cpu_us)}</td></tr>'
    )
    return b"".join((head.encode(), cells, sums.encode()))


def _cells(
    implementation: int,
    who: str,
    columns: tuple[_Column, ...],
    results: tuple[MatrixCell | None, ...],
    focused: int | None,
) -> bytes:
    """Return the markup of a row's cells; cached, as rows are read far more often than changed.

    `focused` is the index of the focused cell, if any.
    """
    key = implementation, who, columns, results, focused, get_language()
    known = _rows_cells.get(key)
    if known is None:
        known = _made_cells(implementation, who, columns, results, focused)
        _rows_cells.put(key, known, _KEYS * len(known))
    return known


def _made_cells(
    implementation: int,
    who: str,
    columns: tuple[_Column, ...],
    results: tuple[MatrixCell | None, ...],
    focused: int | None,
) -> bytes:
    cells = "".join(
        _cell(f"{implementation}:{column.id}", who, column, result, _FOCUS if is_focus else "")
        for column, result, is_focus in zip(
            columns, results, (place == focused for place in range(len(results))), strict=True
        )
    )
    return cells.encode()


def _cell(cell: str, who: str, column: _Column, result: MatrixCell | None, focus: str) -> str:
    """Return a cell's markup; scripts read the short key and the text from its link and title.

    The title is the link's name, too: text inside of thousands of links would double the time that
    a browser needs for the page.
    """
    href = _result_url(result.key[:SHORT_KEY]) if result and result.key else f"#{column.anchor}"
    known = ""
    if result:
        if result.message:
            known = f' data-detail="{escape(result.message)}"'
        if result.line:
            known += f' data-line="{result.line}"'
        if result.cpu_us is not None:
            known += f' data-cpu="{result.cpu_us}"'
    if former := former_state_of(result):
        known += f' data-was="{former}"'
    sentence = escape(f"{who}, {column.words}: {label_of(result)}")
    return (
        f'<td{_GAP if column.gap else ""}><a class="sq" href="{href}"'
        f' data-cell="{cell}" data-state="{state_of(result)}"'
        f"{_COUNTS if column.counts else ''}{_CHALLENGE if column.challenge else ''}{known}{focus}"
        f' title="{sentence}"></a></td>'
    )


def _result_url(key: str) -> str:
    before, after = _result_address()
    return f"{before}{key}{after}"


@lru_cache(maxsize=1)
def _result_address() -> tuple[str, str]:
    """Return the parts of a result's URL before and after the key."""
    before, _, after = reverse("result", args=[_NO_KEY]).partition(_NO_KEY)
    return before, after


def marks_markup(marks: Iterable[tuple[str, str]]) -> SafeString:
    """Return the markup of a sparkline's marks, given the state and, for single cells, the cell."""
    parts = [
        f'<i data-state="{state}" data-cell="{cell}"></i>'
        if cell
        else f'<i data-state="{state}"></i>'
        for state, cell in marks
    ]
    return mark_safe("".join(parts))  # noqa: S308 - states are constants, cells two numbers


def log_lines(entries: Iterable[LogEntry]) -> SafeString:
    """Return the markup of log lines."""
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
