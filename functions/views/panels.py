"""The results panel: the quilt's squares with their words, the legend, the bar and the log."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from functions.pages.function import FunctionPage
from functions.pages.runs import LogLine
from functions.pages.squares import UNBUILDABLE, Quilt, Square
from functions.pages.works import ImplementationCard, TestCard
from functions.views.words import LEGEND, LOOKS, RARE, SEVERITY

LONGEST_STRIP = 24
TELLING = ("failed", "error", "timeout")
ENDINGS_SHOWN = 50
LOADING = "loading"  # what programs without a square are called
BAR_STATES = ("passed", "failed", "error", "timeout", "running")
LOG_KINDS = {"passed": "pass", "failed": "fail", "error": "err", "timeout": "late"}
_STATES = {state: look.state for state, look in LOOKS.items()}
_SEVERITY = {state: rank for rank, state in enumerate(SEVERITY)}
LOG_NAMES = {"pass": "pass", "fail": "fail", "err": "error", "late": "timeout"}


class SquareShown(NamedTuple):
    """A square with everything that its markup says."""

    implementation: ImplementationCard
    test: TestCard
    square: Square | None
    state: str  # as the style sheet names it

    @property
    def cell(self) -> str:
        return f"{self.implementation.id}:{self.test.id}"

    @property
    def label(self) -> str:
        """Who against what: `#4 otto, T9 large integers stay exact`."""
        test = f"{self.test.label} {self.test.title}".strip()
        return f"{self.implementation.label} {self.implementation.author}, {test}"

    @property
    def word(self) -> str:
        """What the square says."""
        return word_of(self.square)

    @property
    def sentence(self) -> str:
        return f"{self.label}: {self.word}"

    @property
    def detail(self) -> str:
        """What came of it, in full."""
        line = f" on line {self.square.line}" if self.square and self.square.line else ""
        said = f": {self.square.message}" if self.square and self.square.message else ""
        told = f"{self.word}{line}{said}"
        return told[:1].upper() + told[1:]


def state_of(square: Square | None) -> str:
    """Return how a square looks, as the style sheet names it."""
    return _STATES[square.state if square else UNBUILDABLE]


def word_of(square: Square | None) -> str:
    """Return what a square says, with what it said before where that is out of date."""
    if square is None:
        return LOOKS[UNBUILDABLE].word
    word = LOOKS[square.state].word
    if square.verdict and not square.is_current and square.state != UNBUILDABLE:
        return f"{word}, was {LOOKS[square.verdict].word}"
    return word


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """An implementation with its squares."""

    card: ImplementationCard
    squares: tuple[SquareShown, ...]

    @property
    def counting(self) -> int:
        return sum(shown.test.counts for shown in self.squares)

    @property
    def passed(self) -> int:
        return sum(shown.test.counts and shown.state == "passed" for shown in self.squares)

    @property
    def is_dim(self) -> bool:
        return all(square.state == "broken" for square in self.squares)


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A test as the quilt's head has it; the first that doesn't work is set apart."""

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
    """A line of the log as rendered by the server; live ones look the same."""

    id: str
    key: str
    where: str
    time: str
    kind: str
    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultsPanel:
    """All squares with what is counted over them."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    counts: Mapping[str, int]  # of squares by state
    focus: SquareShown | None  # says most: the first that did not pass, else the first

    @property
    def squares(self) -> list[SquareShown]:
        return [square for row in self.rows for square in row.squares]

    @property
    def passed(self) -> int:
        return self.counts["passed"]

    def legend(self) -> list[tuple[str, str, int, bool]]:
        """Return state, word, count and whether an empty one is hidden."""
        return [(state, word, self.counts[state], state in RARE) for state, word in LEGEND.items()]

    @property
    def runnable(self) -> int:
        return sum(self.counts.values()) - self.counts["broken"]

    @property
    def finished(self) -> int:
        return self.runnable - self.counts["running"] - self.counts["pending"]

    def bar(self) -> list[Segment]:
        whole, x = self.runnable or 1, 0.0
        segments = []
        for state in BAR_STATES:
            width = 100 * self.counts[state] / whole
            segments.append(Segment(state, f"{x:.2f}%", f"{width:.2f}%"))
            x += width
        return segments


def results_panel(
    implementations: Sequence[ImplementationCard], tests: Sequence[TestCard], cells: Quilt
) -> ResultsPanel:
    """Return the panel of these works, in their order; tests that don't work come last."""
    broken = [test.health == "broken" for test in tests]
    first_gap = broken.index(True) if True in broken and not all(broken) else None
    columns = tuple(Column(card=test, gap=index == first_gap) for index, test in enumerate(tests))
    rows = tuple(_row(card, columns, cells) for card in implementations)
    squares = [shown for row in rows for shown in row.squares]
    telling = (shown for shown in squares if shown.state in TELLING)
    return ResultsPanel(
        columns=columns,
        rows=rows,
        counts={**dict.fromkeys(LEGEND, 0), **Counter([shown.state for shown in squares])},
        focus=next(telling, squares[0] if squares else None),
    )


def _row(card: ImplementationCard, columns: Iterable[Column], cells: Quilt) -> Row:
    pairs = [(column, cells.get((card.id, column.card.id))) for column in columns]
    return Row(
        card=card,
        squares=tuple(
            [
                SquareShown(
                    card, column.card, square, _STATES[square.state if square else UNBUILDABLE]
                )
                for column, square in pairs
            ]
        ),
    )


def strip(squares: Sequence[SquareShown]) -> list[tuple[str, str]]:
    """Return state and cell of each mark; those that stand for several squares have no cell."""
    if len(squares) <= LONGEST_STRIP:
        return [(square.state, square.cell) for square in squares]
    return [(state, "") for state in strip_of_looks([square.state for square in squares])]


def strip_of_looks(states: Sequence[str]) -> list[str]:
    """Return a strip's marks; above 24 they are buckets, in which the worst wins."""
    if len(states) <= LONGEST_STRIP:
        return list(states)
    edges = [-(-place * len(states) // LONGEST_STRIP) for place in range(LONGEST_STRIP + 1)]
    return [min(states[start:end], key=_SEVERITY.__getitem__) for start, end in pairwise(edges)]


def log_entries(page: FunctionPage, panel: ResultsPanel) -> list[LogEntry]:
    """Return the last run as the log tells it: each program's lines, then what came of it."""
    labels = {
        square.square.key: square
        for square in panel.squares
        if square.square is not None and square.square.key is not None
    }
    names = dict.fromkeys(loading_keys(page), LOADING)
    names.update((key, _where(shown)) for key, shown in labels.items())
    entries: dict[str, list[LogEntry]] = {}
    for line in page.log:
        where = names.get(line.key, "")
        entries.setdefault(line.key, []).extend(entries_of_line(line, where))
    for key, shown in _not_passed(labels):
        if shown.square is not None:
            entries.setdefault(key, []).append(_ending(key, shown, shown.square))
    return [entry for of_program in entries.values() for entry in of_program]


def loading_keys(page: FunctionPage) -> list[str]:
    """Return the programs that only load an implementation: no square stands for them."""
    return [one.key for (_, test), one in page.cells.items() if test is None and one.key]


def _not_passed(labels: Mapping[str, SquareShown]) -> list[tuple[str, SquareShown]]:
    """Return the first squares that have not passed; beyond them it is the quilt that tells."""
    kinds = LOG_KINDS.keys() - {"passed"}
    return [pair for pair in labels.items() if pair[1].state in kinds][:ENDINGS_SHOWN]


def _where(shown: SquareShown) -> str:
    return f"{shown.implementation.label} {shown.test.label}"


def entries_of_line(line: LogLine, where: str) -> list[LogEntry]:
    """Return a line as the log shows it, and after the last one shown how many more there are."""
    is_ours = line.stream == "sys"
    shown = LogEntry(
        id=f"{line.key}:{line.run}:{line.number}",
        key=line.key,
        where=where,
        time=f"+{line.ms} ms",
        kind="sys" if is_ours else "log",
        name="run" if is_ours else "log",
        text=line.text,
    )
    if not line.more:
        return [shown]
    lines = "line" if line.more == 1 else "lines"
    more = LogEntry(
        id=f"{line.key}:more",
        key=line.key,
        where=where,
        time="",
        kind="sys",
        name="run",
        text=f"{line.more:,} more {lines}, behind its name",
    )
    return [shown, more]


def _ending(key: str, shown: SquareShown, square: Square) -> LogEntry:
    place = f", line {square.line}" if square.line else ""
    return LogEntry(
        id=f"{key}:end",
        key=key,
        where=_where(shown),
        time="",
        kind=LOG_KINDS[shown.state],
        name=LOG_NAMES[LOG_KINDS[shown.state]],
        text=f"{square.message}{place}" if square.message else shown.word,
    )
