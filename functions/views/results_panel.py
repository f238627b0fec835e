"""The results panel: the matrix with labels, the legend, the progress bar and the log."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any, NamedTuple

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from functions.read_models.cells import PENDING, RUNNING, UNBUILDABLE, Matrix, MatrixCell
from functions.read_models.function import FunctionPage
from functions.read_models.runs import LogLine, Progress
from functions.read_models.works import AnyImplementation, TestCard
from functions.views.labels import LEGEND, LOOKS, RARE, SEVERITY
from runner.states import State

MAX_MARKS = 24
NOT_PASSED = ("failed", "error", "timeout")
ENDINGS_SHOWN = 50
LOADING = gettext_noop("loading")  # label of programs that only load an implementation
BAR_STATES = ("passed", "failed", "error", "timeout", "running")
RUN_BAR_STATES = ("passed", "failed", "error", "timeout", "broken", "running")
LOG_KINDS = {"passed": "pass", "failed": "fail", "error": "err", "timeout": "late"}
_STATES = {state: look.state for state, look in LOOKS.items()}
_NO_STATE = _STATES[UNBUILDABLE]
_SEVERITY = {state: rank for rank, state in enumerate(SEVERITY)}
LOG_NAMES = {
    "pass": gettext_noop("pass"),
    "fail": gettext_noop("fail"),
    "err": gettext_noop("error"),
    "late": gettext_noop("timeout"),
}


class ShownCell(NamedTuple):
    """A cell with everything that its markup shows."""

    implementation: AnyImplementation
    test: TestCard
    result: MatrixCell | None
    state: str  # as the style sheet names it

    @property
    def label(self) -> str:
        """Implementation and test: `#4 otto, T9 large integers stay exact`."""
        test = f"{self.test.label} {self.test.title}".strip()
        return f"{self.implementation.label} {self.implementation.author}, {test}"

    @property
    def word(self) -> str:
        """The label of the cell's state."""
        return label_of(self.result)

    @property
    def sentence(self) -> str:
        return f"{self.label}: {self.word}"

    @property
    def detail(self) -> str:
        """The result with message and line."""
        text = self.word
        if self.result and self.result.line:
            text = _("%(result)s on line %(line)s") % {"result": text, "line": self.result.line}
        if self.result and self.result.message:
            text = f"{text}: {self.result.message}"
        return text[:1].upper() + text[1:]


def state_of(result: MatrixCell | None) -> str:
    """Return the style sheet's name of a cell's state."""
    return _STATES[result.state if result else UNBUILDABLE]


def former_state_of(result: MatrixCell | None) -> str:
    """Return the state by the last verdict of a cell that is run again, else an empty string."""
    if result is None or result.state not in (PENDING, RUNNING) or not result.verdict:
        return ""
    return _STATES[result.verdict]


def label_of(result: MatrixCell | None) -> str:
    """Return the label of a cell's state; an outdated cell's has the former verdict."""
    if result is None:
        return LOOKS[UNBUILDABLE].word
    word = LOOKS[result.state].word
    if result.verdict and not result.is_current and result.state != UNBUILDABLE:
        return _("%(now)s, was %(before)s") % {"now": word, "before": LOOKS[result.verdict].word}
    return word


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """An implementation with its cells and their states, in column order."""

    card: AnyImplementation
    results: tuple[MatrixCell | None, ...]
    states: tuple[str, ...]

    @property
    def is_dim(self) -> bool:
        return set(self.states) <= {"broken"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column of the matrix; a gap precedes the first test that doesn't work."""

    card: TestCard
    gap: bool


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of the progress bar, in percent."""

    state: str
    x: str
    width: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEntry:
    """A log line; the browser renders live ones alike."""

    id: str
    key: str
    where: str
    time: str
    kind: str
    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultsPanel:
    """All cells, with counts."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    counts: Mapping[str, int]  # of cells by state
    focus: ShownCell | None  # the first cell that didn't pass, else the first

    @property
    def passed(self) -> int:
        return self.counts["passed"]

    def legend(self) -> list[tuple[str, str, int, bool]]:
        """Return (state, label, count, hidden while zero) for each state."""
        return [
            (state, _(word), self.counts[state], state in RARE) for state, word in LEGEND.items()
        ]

    @property
    def runnable(self) -> int:
        return sum(self.counts.values()) - self.counts["broken"]

    @property
    def finished(self) -> int:
        return self.runnable - self.counts["running"] - self.counts["pending"]

    def bar(self) -> list[Segment]:
        return _segments({state: self.counts[state] for state in BAR_STATES}, self.runnable)


def run_counts(progress: Progress) -> dict[str, int]:
    """Return the number of a run's finished tasks by state; `none` is without a verdict."""
    counts = dict.fromkeys(RUN_BAR_STATES, 0)
    for verdict, count in progress.verdicts.items():
        counts[_STATES[verdict]] += count
    counts["broken"] += progress.unmade
    counts["running"] += progress.tasks[State.IN_PROGRESS.label]
    return counts


def run_bar(progress: Progress) -> list[Segment]:
    """Return the segments of a run's progress bar, without open tasks."""
    return _segments(run_counts(progress), progress.total)


def _segments(counts: Mapping[str, int], whole: int) -> list[Segment]:
    x, segments = 0.0, []
    for state, count in counts.items():
        width = 100 * count / (whole or 1)
        segments.append(Segment(state, f"{x:.2f}%", f"{width:.2f}%"))
        x += width
    return segments


def results_panel(
    implementations: Sequence[AnyImplementation], tests: Sequence[TestCard], cells: Matrix
) -> ResultsPanel:
    """Return the panel of these works, in the given order."""
    broken = [test.health == "broken" for test in tests]
    first_gap = broken.index(True) if True in broken and not all(broken) else None
    columns = tuple(Column(card=test, gap=index == first_gap) for index, test in enumerate(tests))
    rows = tuple([_row(card, tests, cells) for card in implementations])
    counts = Counter(state for row in rows for state in row.states)
    return ResultsPanel(
        columns=columns,
        rows=rows,
        counts={**dict.fromkeys(LEGEND, 0), **counts},
        focus=_focus(rows, tests),
    )


def _row(card: AnyImplementation, tests: Iterable[TestCard], cells: Matrix) -> Row:
    results = [cells.get((card.id, test.id)) for test in tests]
    states = [_STATES[result.state] if result else _NO_STATE for result in results]
    return Row(card=card, results=tuple(results), states=tuple(states))


def _focus(rows: Sequence[Row], tests: Sequence[TestCard]) -> ShownCell | None:
    not_passed = (
        (row, place)
        for row in rows
        for place, state in enumerate(row.states)
        if state in NOT_PASSED
    )
    first = (rows[0], 0) if rows and tests else None
    found = next(not_passed, first)
    return _shown_at(*found, tests) if found else None


def _shown_at(row: Row, place: int, tests: Sequence[TestCard]) -> ShownCell:
    """Return the cell of a row at this index."""
    return ShownCell(row.card, tests[place], row.results[place], row.states[place])


def marks_of(states: Sequence[str], cells: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Return state and cell of a sparkline's marks; those of several cells have no cell."""
    if len(states) <= MAX_MARKS:
        return tuple(zip(states, cells, strict=True))
    return tuple([(state, "") for state in _combined(states)])


def sparkline(cells: Iterable[MatrixCell]) -> dict[str, Any]:
    """Return the sparkline of an implementation's cells for lists: marks, passed and total."""
    states = [_STATES[cell.state] for cell in cells]
    return {
        "marks": marks_of(states, [""] * len(states)),
        "passed": states.count("passed"),
        "total": len(states),
    }


def _combined(states: Sequence[str]) -> Sequence[str]:
    """Return the worst state in each of 24 buckets."""
    edges = [-(-place * len(states) // MAX_MARKS) for place in range(MAX_MARKS + 1)]
    return [min(states[start:end], key=_SEVERITY.__getitem__) for start, end in pairwise(edges)]


def log_entries(page: FunctionPage, panel: ResultsPanel) -> list[LogEntry]:
    """Return the log of the last run: each program's lines, then its result."""
    tests = [column.card for column in panel.columns]
    wrote = {line.key for line in page.log}
    places = {
        result.key: (row, place)
        for row in panel.rows
        for place, (result, state) in enumerate(zip(row.results, row.states, strict=True))
        if result and result.key and (state in NOT_PASSED or result.key in wrote)
    }
    loading = set(loading_keys(page))
    entries: dict[str, list[LogEntry]] = {}
    for line in page.log:
        found = places.get(line.key)
        where = _(LOADING) if line.key in loading else ""
        if found:
            where = _where(_shown_at(*found, tests))
        entries.setdefault(line.key, []).extend(entries_of_line(line, where))
    for key, (row, place) in _not_passed(places):
        ended, result = _shown_at(row, place, tests), row.results[place]
        if result is not None:
            entries.setdefault(key, []).append(_ending(key, ended, result))
    return [entry for of_program in entries.values() for entry in of_program]


def loading_keys(page: FunctionPage) -> list[str]:
    """Return the keys of programs that only load an implementation."""
    return [one.key for (_, test), one in page.cells.items() if test is None and one.key]


def _not_passed(places: Mapping[str, tuple[Row, int]]) -> Iterable[tuple[str, tuple[Row, int]]]:
    """Return the first cells that didn't pass, as many as the log shows."""
    ended = (one for one in places.items() if one[1][0].states[one[1][1]] in NOT_PASSED)
    return islice(ended, ENDINGS_SHOWN)


def _where(shown: ShownCell) -> str:
    return f"{shown.implementation.label} {shown.test.label}"


def entries_of_line(line: LogLine, where: str) -> list[LogEntry]:
    """Return a line's log entry; after the last shown line also the number of further ones."""
    is_ours = line.stream == "sys"
    shown = LogEntry(
        id=f"{line.key}:{line.run}:{line.number}",
        key=line.key,
        where=where,
        time=f"+{line.ms} ms",
        kind="sys" if is_ours else "log",
        name=_("run") if is_ours else _("log"),
        text=line.text,
    )
    if not line.more:
        return [shown]
    text = ngettext(
        "%(count)s more line, on the result’s page",
        "%(count)s more lines, on the result’s page",
        line.more,
    )
    more = LogEntry(
        id=f"{line.key}:more",
        key=line.key,
        where=where,
        time="",
        kind="sys",
        name=_("run"),
        text=text % {"count": number_format(line.more, force_grouping=True)},
    )
    return [shown, more]


def _ending(key: str, shown: ShownCell, result: MatrixCell) -> LogEntry:
    text = result.message or shown.word
    if result.message and result.line:
        text = _("%(message)s, line %(line)s") % {"message": text, "line": result.line}
    return LogEntry(
        id=f"{key}:end",
        key=key,
        where=_where(shown),
        time="",
        kind=LOG_KINDS[shown.state],
        name=_(LOG_NAMES[LOG_KINDS[shown.state]]),
        text=text,
    )
