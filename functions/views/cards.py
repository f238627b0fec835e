"""The cards below the results: a work with its strip, its anchor and why it can't be voted on."""

from collections.abc import Sequence
from dataclasses import dataclass

from functions.pages.function import FunctionPage
from functions.pages.works import ImplementationCard, TestCard, WorkCard
from functions.views.panels import ResultsPanel, SquareShown, strip


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A card as the page lists it."""

    card: WorkCard
    anchor: str
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


def implementation_entries(page: FunctionPage, panel: ResultsPanel) -> list[Entry]:
    """Return the implementations in page order, each with its squares of tests that count."""
    squares = {
        row.card.id: [shown for shown in row.squares if shown.test.counts] for row in panel.rows
    }
    return [_entry(card, squares.get(card.id, []), page) for card in page.implementations]


def test_groups(page: FunctionPage, panel: ResultsPanel) -> list[Group]:
    """Return the tests under what they are good for at the moment."""
    squares: dict[int, list[SquareShown]] = {}
    for shown in panel.squares:
        squares.setdefault(shown.test.id, []).append(shown)
    headings = (
        ("working", "Working", "by score"),
        ("circular", "Circular", "run, but decide nothing"),
        ("broken", "Broken", "not counted until repaired"),
        ("withdrawn", "Withdrawn", "by their authors"),
    )
    groups = []
    for id_, title, note in headings:
        cards = [card for card in page.tests if _heading(card) == id_]
        entries = [_entry(card, _run(squares.get(card.id, ())), page) for card in cards]
        if entries:
            groups.append(Group(id=id_, title=title, note=note, cards=entries))
    return groups


def _heading(card: TestCard) -> str:
    return "withdrawn" if card.is_withdrawn else card.health


def _run(squares: Sequence[SquareShown]) -> list[SquareShown]:
    """Leave out what can't be run."""
    return [shown for shown in squares if shown.state != "broken"]


def _entry(
    card: ImplementationCard | TestCard, squares: list[SquareShown], page: FunctionPage
) -> Entry:
    letter = "T" if isinstance(card, TestCard) else "I"
    return Entry(
        card=card,
        anchor=f"{letter}{card.number}",
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
