"""Sort orders of works on a function's page, chosen by query parameters."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from functions.read_models.function import FunctionPage
from functions.read_models.works import ImplementationCard, TestCard, WorkCard


def _newest(card: WorkCard) -> tuple[Any, ...]:
    return (-(card.published_at or card.created_at).timestamp(), -card.id)


def _fastest(card: ImplementationCard) -> tuple[Any, ...]:
    return (card.cpu_us is None, card.cpu_us or 0)


def _shortest(card: WorkCard) -> tuple[Any, ...]:
    return (len(card.code.strip()),)


USUAL = ""
# Sorting is stable, so equal works keep the default order.
OF_IMPLEMENTATIONS: Mapping[str, Callable[[ImplementationCard], tuple[Any, ...]]] = {
    "newest": _newest,
    "fastest": _fastest,
    "shortest": _shortest,
}
OF_TESTS: Mapping[str, Callable[[TestCard], tuple[Any, ...]]] = {
    "newest": _newest,
    "shortest": _shortest,
}


@dataclass(frozen=True, slots=True)
class Choice:
    """A sort order's title and link."""

    key: str
    url: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class Orders:
    """The chosen sort orders, empty is the default; and whether all cards are asked for."""

    implementations: str = USUAL
    tests: str = USUAL
    all_cards: bool = False

    def arrange(self, page: FunctionPage) -> FunctionPage:
        """Return the page with its works sorted; withdrawn ones stay last.

        Implementations are sorted only if the page has all their cards.
        """
        implementations, published, tests = page.implementations, page.published, page.tests
        if self.implementations:
            rank = OF_IMPLEMENTATIONS[self.implementations]
            published = implementations = tuple(
                sorted(implementations, key=lambda card: (card.is_withdrawn, *rank(card)))
            )
        if self.tests:
            rank_tests = OF_TESTS[self.tests]
            tests = tuple(sorted(tests, key=lambda card: (card.is_withdrawn, *rank_tests(card))))
        return replace(page, implementations=implementations, published=published, tests=tests)

    @property
    def kept(self) -> str:
        """The orders as query parameters."""
        chosen = _chosen(self)
        return f"{urlencode(chosen)}&" if chosen else ""

    @property
    def of_implementations(self) -> list[Choice]:
        """The choices for implementations; their links keep the tests' order."""
        return [
            Choice(key, _url(replace(self, implementations=key), "#implementations"), is_chosen)
            for key in (USUAL, *OF_IMPLEMENTATIONS)
            for is_chosen in [key == self.implementations]
        ]

    @property
    def of_tests(self) -> list[Choice]:
        """The choices for tests."""
        return [
            Choice(key, _url(replace(self, tests=key), "#tests"), is_chosen)
            for key in (USUAL, *OF_TESTS)
            for is_chosen in [key == self.tests]
        ]


def read_orders(query: Mapping[str, Any]) -> Orders:
    """Return the orders in a query string; unknown ones are the default."""
    return Orders(
        _known(query.get("order"), OF_IMPLEMENTATIONS),
        _known(query.get("tests"), OF_TESTS),
        query.get("all") == "1",
    )


def _known(asked: object, orders: Mapping[str, Any]) -> str:
    return asked if isinstance(asked, str) and asked in orders else USUAL


def _url(orders: Orders, place: str) -> str:
    return f"?{urlencode(_chosen(orders))}{place}"


def _chosen(orders: Orders) -> Sequence[tuple[str, str]]:
    everything = "1" if orders.all_cards else ""
    found = (("order", orders.implementations), ("tests", orders.tests), ("all", everything))
    return [(name, order) for name, order in found if order]
