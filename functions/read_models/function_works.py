"""Loads the works of a function's page."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from functions.models import Function, Implementation, Test, Work
from functions.read_models.links import FunctionLink, distinct, links_of_works
from functions.read_models.prepared_queries import Parameter, PreparedQuery, is_among
from functions.read_models.works import (
    ROW_FIELDS,
    AnyImplementation,
    ImplementationCard,
    ImplementationRow,
    TestCard,
    implementation_card,
    implementation_rank,
    test_card,
    test_rank,
    visible,
    with_copies,
)
from runner.registry import Actor


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """Which implementations get cards: the first `most`, the current one, those in `opened`."""

    most: int | None = None  # None for all
    opened: Collection[str] = ()  # anchors, such as `I7`

    def ids(self, rows: Iterable[ImplementationRow]) -> list[int]:
        """Return the ids of these, and of drafts, among all rows in page order."""
        return [
            row.id
            for place, row in enumerate(rows)
            if self.most is None
            or place < self.most
            or row.is_current
            or row.is_draft
            or row.anchor in self.opened
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionWorks:
    """The works of a function that a reader may see, in page order, with their own drafts."""

    implementations: list[ImplementationCard]
    tests: list[TestCard]
    published: tuple[AnyImplementation, ...]  # all implementations without drafts
    depends_on: tuple[FunctionLink, ...]


def _ids() -> QuerySet[Implementation]:
    return Implementation.objects.filter(is_among("pk", Parameter("ids")))


def _of_function(model: type[Any]) -> QuerySet[Any]:
    return visible(model.objects.filter(function=Parameter("function")), Parameter("reader"))


_IMPLEMENTATIONS = PreparedQuery[Implementation](lambda: _of_function(Implementation))
_TESTS = PreparedQuery[Test](lambda: _of_function(Test))
_SOME = PreparedQuery[Implementation](lambda: visible(_ids(), Parameter("reader")))
_ROWS = PreparedQuery[tuple[Any, ...]](
    lambda: _of_function(Implementation).values_list(*ROW_FIELDS)
)


def load_works(function: Function, actor: Actor, shown: Shown) -> FunctionWorks:
    """Return the works, with cards of these implementations and rows of the others."""
    parameters = {"function": function.pk, "reader": actor.pk}
    rows: list[ImplementationRow] = []
    if shown.most is None or (function.last_implementation_number or 0) <= shown.most:
        found = _IMPLEMENTATIONS.rows(**parameters)
    else:
        rows = _rows(function, actor)
        found = _SOME.rows(ids=shown.ids(rows), reader=actor.pk)
    implementations = sorted(found, key=implementation_rank)
    tests = sorted(_TESTS.rows(**parameters), key=test_rank)
    links, test_links = links_of_works(
        implementations=[work.id for work in rows or implementations],
        tests=[work.pk for work in tests],
    )
    cards = [
        implementation_card(work, function, actor, links.get(work.pk, ()))
        for work in implementations
    ]
    test_cards = [test_card(work, function, actor, test_links.get(work.pk, ())) for work in tests]
    everything: Sequence[AnyImplementation] = rows or cards
    published = tuple(work for work in everything if work.state != Work.State.DRAFT)
    return FunctionWorks(
        implementations=with_copies(cards, everything),
        tests=with_copies(test_cards, test_cards),
        published=published,
        depends_on=_depends_on(published, links),
    )


def _rows(function: Function, actor: Actor) -> list[ImplementationRow]:
    found = _ROWS.rows(function=function.pk, reader=actor.pk)
    rows = [ImplementationRow._make((*row, function.elected_id, actor.pk)) for row in found]
    return sorted(rows, key=implementation_rank)


def _depends_on(
    published: Iterable[AnyImplementation], links: dict[int, list[FunctionLink]]
) -> tuple[FunctionLink, ...]:
    """Return the dependencies of the current implementation, else of all candidates."""
    candidates = [work for work in published if not work.is_withdrawn]
    current = [work for work in candidates if work.is_current]
    return distinct(link for work in current or candidates for link in links.get(work.id, ()))
