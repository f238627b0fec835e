"""Nodes of the dependency graph: functions with their elected or proposed implementation."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from django.db.models import Q

from functions.graph.algorithms import find_components, reachable
from functions.graph.queries import ChosenRow, chosen_rows, chosen_rows_alone, row_versions
from functions.models import Dependency, Function, Implementation, Test


class Link(NamedTuple):
    """A name in code, and the id of the function of that name, if there is one.

    Without an optional one, code is run all the same; it is not bound then.
    """

    name: str
    target: int | None
    is_optional: bool = False


class Node(NamedTuple):
    """A function with its elected implementation and that one's links.

    If nothing is elected, `sha256` and `links` are those of the proposed implementation, if any.
    """

    id: int
    name: str
    elected: int | None
    sha256: bytes  # of the implementation's source
    links: tuple[Link, ...]
    judging: bool
    digest: bytes
    proposed: int | None = None
    cycle: tuple[str, ...] = ()
    version: str = ""  # of the function's row, when it was read

    @property
    def choice(self) -> int | None:
        return self.elected or self.proposed


# The last read nodes by id. A node is used only if its version is current; reading versions is much
# faster than following links.
_cache: dict[int, Node] = {}
_MAX_CACHED = 20_000


def load_nodes(function_ids: Collection[int]) -> dict[int, Node]:
    """Return the nodes of these functions and their closures, in at most three queries."""
    cached, unknown = _cached_closure(function_ids)
    changed = find_changed(cached)
    if not changed and not unknown:
        return cached
    nodes = {pk: node for pk, node in cached.items() if pk not in changed}
    read = _by_id(chosen_rows_alone(changed))
    named = {link.target for node in read.values() for link in node.links if link.target}
    if others := (unknown | named) - nodes.keys() - read.keys():
        read |= _by_id(chosen_rows(others, [*nodes, *read]))
    if len(_cache) + len(read) > _MAX_CACHED:
        _cache.clear()
    _cache.update(read)
    nodes |= read
    starts = [pk for pk in function_ids if pk in nodes]
    return {pk: nodes[pk] for pk in reachable(starts, edges_of(nodes))}


def read_nodes(function_ids: Collection[int]) -> dict[int, Node]:
    """Return the same nodes as `load_nodes`, read from the database without the cache."""
    return _by_id(chosen_rows(function_ids))


def _by_id(rows: Iterable[ChosenRow]) -> dict[int, Node]:
    return {
        row.id: Node(
            row.id,
            row.name,
            row.elected,
            row.sha256 or b"",
            tuple(map(Link, row.names, row.targets, row.optional)),
            row.judging,
            row.digest,
            row.proposed,
            tuple(row.circle),
            row.version,
        )
        for row in rows
    }


def find_changed(nodes: Mapping[int, Node]) -> set[int]:
    """Return the ids of nodes whose function changed since they were read, possibly some more.

    Links of published code don't change while their targets exist, so an equal version means an
    equal node unless a target is missing.
    """
    versions = row_versions(nodes.keys())
    existing: Iterable[int] = nodes.keys()
    if len(versions) < len(nodes):  # some were deleted
        existing = {int(version.partition(":")[0]) for version in versions}
    missing = {link.target for node in nodes.values() for link in node.links}.difference(existing)
    return {
        pk
        for pk, node in nodes.items()
        if node.version not in versions
        or (missing and any(link.target in missing for link in node.links))
    }


def _cached_closure(function_ids: Collection[int]) -> tuple[dict[int, Node], set[int]]:
    """Return the cached nodes of these functions' closures, and the ids that aren't cached."""
    nodes: dict[int, Node] = {}
    unknown = set[int]()
    waiting = list(function_ids)
    while waiting:
        pk = waiting.pop()
        if pk in nodes:
            continue
        node = _cache.get(pk)
        if node is None:
            unknown.add(pk)
        else:
            nodes[pk] = node
            waiting += [link.target for link in node.links if link.target]
    return nodes, unknown


def edges_of(nodes: Mapping[int, Node]) -> Callable[[int], list[int]]:
    """Return the edges between these nodes."""

    def edges(node: int) -> list[int]:
        return [link.target for link in nodes[node].links if link.target in nodes and link.target]

    return edges


def bound_links(links: Iterable[Link], nodes: Mapping[int, Node]) -> list[Link]:
    """Return the links without those that are optional and lead to nothing that is elected."""
    return [
        link
        for link in links
        if not link.is_optional
        or ((node := nodes.get(link.target or 0)) is not None and node.elected)
    ]


def bound_edges_of(nodes: Mapping[int, Node]) -> Callable[[int], list[int]]:
    """Return the edges between these nodes that programs follow."""

    def edges(node: int) -> list[int]:
        bound = bound_links(nodes[node].links, nodes)
        return [link.target for link in bound if link.target in nodes and link.target]

    return edges


def find_cycle_groups(functions: Iterable[Function]) -> dict[int, list[int]]:
    """Return the ids of each function's cycle group, including its own."""
    in_cycle = {
        function.pk: bool(function.circle or function.proposed_id) for function in functions
    }
    nodes = load_nodes({pk for pk, is_in_cycle in in_cycle.items() if is_in_cycle})
    return {
        pk: _cycle_group_of(pk, nodes) if is_in_cycle and pk in nodes else [pk]
        for pk, is_in_cycle in in_cycle.items()
    }


def _cycle_group_of(function_id: int, nodes: Mapping[int, Node]) -> list[int]:
    components = find_components([function_id], bound_edges_of(nodes))
    cycle_group = next(each for each in components if function_id in each)
    kinds = {(nodes[node].elected is None, nodes[node].cycle) for node in cycle_group}
    return sorted(cycle_group) if len(kinds) == 1 else [function_id]


def load_links(
    implementations: Sequence[int], tests: Sequence[int]
) -> dict[tuple[str, int], tuple[Link, ...]]:
    """Return the links of these works, by noun and id."""
    if not implementations and not tests:
        return {}
    naming = Q(implementation__in=implementations) | Q(test__in=tests)
    rows = Dependency.objects.filter(naming).order_by("id")
    links: dict[tuple[str, int], tuple[Link, ...]] = {}
    for implementation, test, name, target, is_optional in rows.values_list(
        "implementation", "test", "name", "target", "is_optional"
    ):
        key = (Implementation.noun, implementation) if implementation else (Test.noun, test)
        links[key] = (*links.get(key, ()), Link(name, target, is_optional))
    return links
