"""The cards below the results: a work with its strip, its anchor and why it can't be voted on."""

from collections.abc import Sequence
from dataclasses import dataclass

from functions.pages.function import FunctionPage
from functions.pages.works import ImplementationCard, TestCard, WorkCard
from functions.views.panels import ResultsPanel, SquareShown, strip

OPEN_CARDS = 6  # of each column; the others show their code when asked to


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A card as the page lists it."""

    card: WorkCard
    anchor: str
    is_open: bool  # with its code and what can be done with it
    marks: list[tuple[str, str]]
    passed: int
    total: int
    why_not: str  # it can't be voted on


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Cards under one heading."""

    id: str
    title: str
    note: str
    cards: list[Entry]


def implementation_entries(page: FunctionPage, panel: ResultsPanel, opened: str) -> list[Entry]:
    """Return the implementations in page order, each with its squares of tests that count.

    Only some are open: the first, the current one, and the one with the anchor `opened`.
    """
    first = {card.id for card in page.implementations[:OPEN_CARDS]}
    squares = {
        row.card.id: [shown for shown in row.squares if shown.test.counts] for row in panel.rows
    }
    return [
        _entry(
            card,
            squares.get(card.id, []),
            page,
            is_open=card.id in first or card.is_current or _anchor(card) == opened,
        )
        for card in page.implementations
    ]


def test_groups(page: FunctionPage, panel: ResultsPanel, opened: str) -> list[Group]:
    """Return the tests under what they are good for; the first, and `opened`, are open."""
    first = {card.id for card in page.tests[:OPEN_CARDS]}
    columns = zip(*(row.squares for row in panel.rows), strict=True)
    squares = {column[0].test.id: column for column in columns}
    headings = (
        ("working", "Working", "by score"),
        ("circular", "Circular", "run, but decide nothing"),
        ("broken", "Broken", "not counted until repaired"),
        ("withdrawn", "Withdrawn", "by their authors"),
    )
    groups = []
    for id_, title, note in headings:
        cards = [card for card in page.tests if _heading(card) == id_]
        entries = [
            _entry(
                card,
                _run(squares.get(card.id, ())),
                page,
                is_open=card.id in first or _anchor(card) == opened,
            )
            for card in cards
        ]
        if entries:
            groups.append(Group(id=id_, title=title, note=note, cards=entries))
    return groups


def _heading(card: TestCard) -> str:
    return "withdrawn" if card.is_withdrawn else card.health


def _run(squares: Sequence[SquareShown]) -> list[SquareShown]:
    """Leave out what can't be run."""
    return [shown for shown in squares if shown.state != "broken"]


def _anchor(card: WorkCard) -> str:
    letter = "T" if isinstance(card, TestCard) else "I"
    return f"{letter}{card.number}"


def _entry(
    card: ImplementationCard | TestCard,
    squares: list[SquareShown],
    page: FunctionPage,
    *,
    is_open: bool,
) -> Entry:
    return Entry(
        card=card,
        anchor=_anchor(card),
        is_open=is_open,
        marks=strip(squares),
        passed=sum(shown.state == "passed" for shown in squares),
        total=len(squares),
        why_not=_why_not(card, page),
    )


def _why_not(card: WorkCard, page: FunctionPage) -> str:
    if card.may_vote:
        return ""
    if card.is_own:
        return "You can't vote on your own work"
    if card.is_withdrawn:
        return "Withdrawn work is not voted on"
    if page.function.archived_at:
        return "Nobody votes on what is archived"
    return "Sign in to vote" if not page.may_contribute else "This can't be voted on"
