"""Functions as others see them: what each has elected, or proposes, and what that names."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Q

from functions.closure import group
from functions.models import Dependency, Function, Implementation, Test
from functions.querysets import chosen_rows


@dataclass(frozen=True, slots=True)
class Link:
    """A name in some code, and the function that it means; none while there is none."""

    name: str
    target: int | None


@dataclass(frozen=True, slots=True)
class Node:
    """A function as others see it: its elected implementation and what that one names.

    Where nothing is elected, source and names are of what it proposes, if it does.
    """

    id: int
    name: str
    elected: int | None
    sha256: bytes  # of that one's source
    links: tuple[Link, ...]
    judging: bool
    digest: bytes
    proposed: int | None = None
    circle: tuple[str, ...] = ()

    @property
    def choice(self) -> int | None:
        return self.elected or self.proposed


def load_nodes(function_ids: set[int]) -> dict[int, Node]:
    """Load these functions and what they lead to, in one query."""
    return {
        row.id: Node(
            id=row.id,
            name=row.name,
            elected=row.elected,
            sha256=bytes(row.sha256 or b""),
            links=tuple(map(Link, row.names, row.targets)),
            judging=row.judging,
            digest=bytes(row.digest),
            proposed=row.proposed,
            circle=tuple(row.circle),
        )
        for row in chosen_rows(function_ids)
    }


def edges_of(nodes: Mapping[int, Node]) -> Callable[[int], list[int]]:
    """Return what leads from each of these to those of them that it names."""

    def edges(node: int) -> list[int]:
        return [link.target for link in nodes[node].links if link.target in nodes and link.target]

    return edges


def find_companies(functions: Iterable[Function]) -> dict[int, list[int]]:
    """Return with which functions each of these is elected or tried, and itself, by their ids."""
    bound = {function.pk: bool(function.circle or function.proposed_id) for function in functions}
    nodes = load_nodes({pk for pk, is_bound in bound.items() if is_bound})
    return {
        pk: _company_of(pk, nodes) if is_bound and pk in nodes else [pk]
        for pk, is_bound in bound.items()
    }


def _company_of(function_id: int, nodes: Mapping[int, Node]) -> list[int]:
    circles = group([function_id], edges_of(nodes))
    company = next(circle for circle in circles if function_id in circle)
    kinds = {(nodes[node].elected is None, nodes[node].circle) for node in company}
    return sorted(company) if len(kinds) == 1 else [function_id]


def load_links(
    implementations: Sequence[int], tests: Sequence[int]
) -> dict[tuple[str, int], tuple[Link, ...]]:
    """Return what these works name, by their nouns and ids."""
    if not implementations and not tests:
        return {}
    naming = Q(implementation__in=implementations) | Q(test__in=tests)
    rows = Dependency.objects.filter(naming).order_by("id")
    links: dict[tuple[str, int], tuple[Link, ...]] = {}
    for implementation, test, name, target in rows.values_list(
        "implementation", "test", "name", "target"
    ):
        key = (Implementation.noun, implementation) if implementation else (Test.noun, test)
        links[key] = (*links.get(key, ()), Link(name, target))
    return links
