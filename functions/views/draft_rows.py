"""Rows of the editor's matrix to compare the draft with: its earlier runs, and the current work."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from functions.models import Implementation, Test
from functions.read_models.cells import MatrixCell
from functions.read_models.draft_runs import DraftRun
from functions.read_models.works import AnyImplementation, ImplementationCard, TestCard
from functions.views.labels import LOOKS, NOT_RUN
from functions.views.results_panel import ResultsPanel, label_of, state_of

Card = AnyImplementation | TestCard


@dataclass(frozen=True, slots=True, kw_only=True)
class Square:
    """A result of a row; `key` is empty if there is no result."""

    state: str
    sentence: str
    key: str
    gap: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonRow:
    """Results against the opponents of a draft; `run` is None for the current implementation."""

    run: DraftRun | None
    current: ImplementationCard | None
    squares: tuple[Square, ...]

    @property
    def passed(self) -> int:
        return sum(square.state == "passed" for square in self.squares)

    @property
    def finished(self) -> int:
        return sum(bool(square.key) for square in self.squares)


def comparison_rows(
    draft: Implementation | Test,
    panel: ResultsPanel,
    current: ImplementationCard | None,
    cells: Sequence[MatrixCell | None],
    runs: Iterable[DraftRun],
) -> list[ComparisonRow]:
    """Return the earlier runs, newest first, then the current implementation with its `cells`."""
    opponents: list[tuple[Card, bool]] = (
        [(column.card, column.gap) for column in panel.columns]
        if isinstance(draft, Implementation)
        else [(row.card, False) for row in panel.rows]
    )
    rows = [_of_run(run, opponents) for run in runs if opponents]
    if current and opponents:
        rows.append(_of_current(current, cells, opponents))
    return rows


def _of_run(run: DraftRun, opponents: Iterable[tuple[Card, bool]]) -> ComparisonRow:
    squares = []
    for card, gap in opponents:
        cell = run.cells.get(card.id)
        look = LOOKS[cell.verdict if cell else NOT_RUN]
        squares.append(
            Square(
                state=look.state,
                sentence=_("run %(run)s, %(work)s: %(result)s")
                % {
                    "run": run.batch,
                    "work": f"{card.label} {card.title}".strip(),
                    "result": look.word,
                },
                key=cell.key if cell else "",
                gap=gap,
            )
        )
    return ComparisonRow(run=run, current=None, squares=tuple(squares))


def _of_current(
    current: ImplementationCard,
    cells: Sequence[MatrixCell | None],
    opponents: Iterable[tuple[Card, bool]],
) -> ComparisonRow:
    squares = tuple(
        Square(
            state=state_of(cell),
            sentence=f"{current.label} {current.author}, {card.label} {card.title}".strip()
            + f": {label_of(cell)}",
            key=(cell.key or "") if cell and cell.verdict else "",
            gap=gap,
        )
        for cell, (card, gap) in zip(cells, opponents, strict=True)
    )
    return ComparisonRow(run=None, current=current, squares=squares)
