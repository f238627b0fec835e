"""The orders in which works may stand on a function's page; the chosen ones are in its address."""

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
# Of equals, that stands first which does so in the usual order.
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
    """An order that a reader may choose, and where it leads."""

    key: str
    url: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class Orders:
    """What a page's columns are ordered by; empty is the usual."""

    implementations: str = USUAL
    tests: str = USUAL

    def arrange(self, page: FunctionPage) -> FunctionPage:
        """Return the page with its works in these orders; withdrawn ones stay last."""
        implementations, tests = page.implementations, page.tests
        if self.implementations:
            rank = OF_IMPLEMENTATIONS[self.implementations]
            implementations = tuple(
                sorted(implementations, key=lambda card: (card.is_withdrawn, *rank(card)))
            )
        if self.tests:
            rank_tests = OF_TESTS[self.tests]
            tests = tuple(sorted(tests, key=lambda card: (card.is_withdrawn, *rank_tests(card))))
        return replace(page, implementations=implementations, tests=tests)

    @property
    def kept(self) -> str:
        """What an address has of them in front of other things."""
        chosen = _chosen(self)
        return f"{urlencode(chosen)}&" if chosen else ""

    @property
    def of_implementations(self) -> list[Choice]:
        """The orders of implementations, each kept in an address beside that of the tests."""
        return [
            Choice(key, _url(replace(self, implementations=key), "#implementations"), is_chosen)
            for key in (USUAL, *OF_IMPLEMENTATIONS)
            for is_chosen in [key == self.implementations]
        ]

    @property
    def of_tests(self) -> list[Choice]:
        """The orders of tests."""
        return [
            Choice(key, _url(replace(self, tests=key), "#tests"), is_chosen)
            for key in (USUAL, *OF_TESTS)
            for is_chosen in [key == self.tests]
        ]


def read_orders(query: Mapping[str, Any]) -> Orders:
    """Return what an address asks for; what is no order is the usual one."""
    return Orders(
        _known(query.get("order"), OF_IMPLEMENTATIONS), _known(query.get("tests"), OF_TESTS)
    )


def _known(asked: object, orders: Mapping[str, Any]) -> str:
    return asked if isinstance(asked, str) and asked in orders else USUAL


def _url(orders: Orders, place: str) -> str:
    return f"?{urlencode(_chosen(orders))}{place}"


def _chosen(orders: Orders) -> Sequence[tuple[str, str]]:
    found = (("order", orders.implementations), ("tests", orders.tests))
    return [(name, order) for name, order in found if order]
