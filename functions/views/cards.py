"""Cards of works below the results matrix: sparkline, anchor, reason against voting."""

from collections.abc import Collection
from dataclasses import dataclass

from django.utils.translation import gettext as _

from functions.permissions import OF_SAME_PERSON, SIGN_IN_TO_VOTE
from functions.read_models.function import FunctionPage
from functions.read_models.links import FunctionLink
from functions.read_models.works import ImplementationCard, TestCard, WorkCard
from functions.views.results_panel import ResultsPanel, marks_of

OPEN_CARDS = 6  # expanded cards per column
MOST_CARDS = 100  # implementations on a page that isn't asked for all


@dataclass(frozen=True, slots=True, kw_only=True)
class PageContext:
    """Properties of the page that its cards depend on."""

    function: FunctionLink
    owner: str
    importers: int
    is_signed_in: bool
    kept: str  # the sort orders, as query parameters


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A card in the page's list; together with the page context, all input of its markup."""

    card: WorkCard
    anchor: str
    is_open: bool  # expanded: with code and actions
    marks: tuple[tuple[str, str], ...]
    passed: int
    total: int
    comments: int
    why_not: str  # reason against voting; empty if voting is possible
    has_others: bool  # other works to compare with


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Cards under one heading."""

    id: str
    title: str
    note: str
    cards: list[Entry]


def page_context(page: FunctionPage, kept: str, *, is_signed_in: bool) -> PageContext:
    """Return the page context of the cards."""
    function = page.function
    return PageContext(
        function=FunctionLink(
            name=function.name,
            status=function.status,
            archived=function.archived_at is not None,
        ),
        owner=page.owner,
        importers=page.dependents,
        is_signed_in=is_signed_in,
        kept=kept,
    )


def implementation_entries(
    page: FunctionPage, panel: ResultsPanel, opened: Collection[str], *, most: int | None = None
) -> list[Entry]:
    """Return the implementations in page order, with their cells of tests that count.

    The first, the current one, and those whose anchors are in `opened` are expanded. Beyond `most`
    there are only the current one and those in `opened`.
    """
    shown = [
        card
        for place, card in enumerate(page.implementations)
        if most is None or place < most or card.is_current or _anchor(card) in opened
    ]
    first = {card.id for card in page.implementations[:OPEN_CARDS]}
    tests = [column.card for column in panel.columns]
    wanted = {card.id for card in shown}
    results = {
        row.card.id: [
            (state, test.id) for state, test in zip(row.states, tests, strict=True) if test.counts
        ]
        for row in panel.rows
        if row.card.id in wanted
    }
    return [
        _entry(
            card,
            results.get(card.id, []),
            page,
            is_open=card.id in first or card.is_current or _anchor(card) in opened,
        )
        for card in shown
    ]


def test_groups(page: FunctionPage, panel: ResultsPanel, opened: Collection[str]) -> list[Group]:
    """Return the tests in groups; the first and `opened` ones are expanded."""
    first = {card.id for card in page.tests[:OPEN_CARDS]}
    results = {
        column.card.id: [
            (row.states[place], row.card.id) for row in panel.rows if row.states[place] != "broken"
        ]
        for place, column in enumerate(panel.columns)
    }
    headings = (
        ("working", _("Working"), _("by score")),
        ("circular", _("Circular"), _("run, but decide nothing")),
        ("broken", _("Broken"), _("not counted until repaired")),
        ("withdrawn", _("Withdrawn"), _("by their authors")),
    )
    groups = []
    for id_, title, note in headings:
        cards = [card for card in page.tests if _heading(card) == id_]
        entries = [
            _entry(
                card,
                results.get(card.id, []),
                page,
                is_open=card.id in first or _anchor(card) in opened,
            )
            for card in cards
        ]
        if entries:
            groups.append(Group(id=id_, title=title, note=note, cards=entries))
    return groups


def _heading(card: TestCard) -> str:
    return "withdrawn" if card.is_withdrawn else card.health


def _anchor(card: WorkCard) -> str:
    letter = "T" if isinstance(card, TestCard) else "I"
    return f"{letter}{card.number}"


def _entry(
    card: ImplementationCard | TestCard,
    results: list[tuple[str, int]],
    page: FunctionPage,
    *,
    is_open: bool,
) -> Entry:
    """Return a card's entry, given the states of its cells and the opponent of each."""
    is_test = isinstance(card, TestCard)
    works = page.tests if is_test else page.published
    states = [state for state, _ in results]
    cells = (f"{other}:{card.id}" if is_test else f"{card.id}:{other}" for _, other in results)
    return Entry(
        card=card,
        anchor=_anchor(card),
        is_open=is_open,
        marks=marks_of(states, cells),
        passed=states.count("passed"),
        total=len(states),
        comments=page.comments.get((card.noun, card.id), 0),
        why_not=_why_not(card, page),
        has_others=len(works) > 1,
    )


def _why_not(card: WorkCard, page: FunctionPage) -> str:
    if card.may_vote:
        return ""
    if card.is_own:
        return _("You can't vote on your own work")
    if card.is_withdrawn:
        return _("You can't vote on withdrawn work")
    if page.function.archived_at:
        return _("You can't vote in an archived function")
    return _(OF_SAME_PERSON) if page.may_contribute else _(SIGN_IN_TO_VOTE)
