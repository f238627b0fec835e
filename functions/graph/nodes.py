"""Functions as others see them: what each has elected, or proposes, and what that names."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from django.db.models import Q

from functions.graph.algorithms import group, reach
from functions.graph.queries import ChosenRow, chosen_rows, chosen_rows_alone, row_versions
from functions.models import Dependency, Function, Implementation, Test


class Link(NamedTuple):
    """A name in some code, and the function that it means; none while there is none."""

    name: str
    target: int | None


class Node(NamedTuple):
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


class _Known(NamedTuple):
    """A function as it was read, which version of its row that was, and what it names."""

    node: Node
    version: str
    targets: frozenset[int | None]


# Those that were read last, by id. Nothing of it is used that is not seen to be so still: to ask
# for the versions of the rows does for that, in little of the time that following links takes.
_known: dict[int, _Known] = {}
_MOST_KNOWN = 20_000


def load_nodes(function_ids: Collection[int]) -> dict[int, Node]:
    """Load these functions and what they lead to, in three queries at most."""
    known, unknown = _reach_known(function_ids)
    changed = find_changed(known)
    if not changed and not unknown:
        return known
    nodes = {pk: node for pk, node in known.items() if pk not in changed}
    for pk in changed | unknown:
        _known.pop(pk, None)
    nodes |= _remember(chosen_rows_alone(changed))
    read = [nodes[pk] for pk in changed if pk in nodes]
    named = {link.target for node in read for link in node.links if link.target}
    if others := (unknown | named) - nodes.keys():
        nodes |= _remember(chosen_rows(others, nodes.keys()))
    starts = [pk for pk in function_ids if pk in nodes]
    return {pk: nodes[pk] for pk in reach(starts, edges_of(nodes))}


def read_nodes(function_ids: Collection[int]) -> dict[int, Node]:
    """Read these and what they lead to, following links from one to the next."""
    return {row.id: _node(row) for row in chosen_rows(function_ids)}


def _remember(rows: Collection[ChosenRow]) -> dict[int, Node]:
    known = {row.id: _Known(_node(row), row.version, frozenset(row.targets)) for row in rows}
    if len(_known) + len(known) > _MOST_KNOWN:
        _known.clear()
    _known.update(known)
    return {pk: one.node for pk, one in known.items()}


def _node(row: ChosenRow) -> Node:
    return Node(
        row.id,
        row.name,
        row.elected,
        row.sha256 or b"",
        tuple(map(Link, row.names, row.targets)),
        row.judging,
        row.digest,
        row.proposed,
        tuple(row.circle),
    )


def find_changed(nodes: Mapping[int, Node]) -> set[int]:
    """Return those of these, which were loaded before, that are no longer as they were; maybe more.

    What a published implementation names stays as it is while it means functions that are there. So
    their own rows say enough, apart from those of which something that they name is missing. (So a
    transaction that gives a missing name to a function, and reads nodes, must not be taken back.)
    """
    versions = row_versions(nodes.keys())
    there: AbstractSet[int | None] = nodes.keys()
    if len(versions) < len(nodes):  # some are gone
        there = {int(version.partition(":")[0]) for version in versions}
    return {
        pk
        for pk, node in nodes.items()
        if (known := _known.get(pk)) is None
        or known.node is not node
        or known.version not in versions
        or not known.targets <= there
    }


def _reach_known(function_ids: Collection[int]) -> tuple[dict[int, Node], set[int]]:
    """Return what is known of these and of what they lead to, and which of them are not known."""
    nodes: dict[int, Node] = {}
    unknown = set[int]()
    waiting = list(function_ids)
    while waiting:
        pk = waiting.pop()
        if pk in nodes:
            continue
        known = _known.get(pk)
        if known is None:
            unknown.add(pk)
        else:
            node = nodes[pk] = known.node
            waiting += [link.target for link in node.links if link.target]
    return nodes, unknown


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
