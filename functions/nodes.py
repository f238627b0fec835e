"""Functions as others see them: what each has elected, or proposes, and what that names."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from django.db.models import Q

from functions.closure import group, reach
from functions.models import Dependency, Function, Implementation, Test
from functions.querysets import chosen_rows, seen_rows


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


# Those that were read last, by id. Nothing of it is used that is not seen to be so still: one plain
# read of their rows does for that, in a tenth of the time that following their links takes.
_known: dict[int, Node] = {}
_MOST_KNOWN = 20_000


def load_nodes(function_ids: Collection[int]) -> dict[int, Node]:
    """Load these functions and what they lead to, in two queries at most."""
    known, others = _reach_known(function_ids)
    changed = find_changed(known)
    if not changed and not others:
        return known
    same = {pk: node for pk, node in known.items() if pk not in changed}
    nodes = read_nodes(changed | others, apart_from=same.keys())
    if len(_known) + len(nodes) > _MOST_KNOWN:
        _known.clear()
    for pk in changed | others:
        _known.pop(pk, None)
    _known.update(nodes)
    everything = same | nodes
    starts = [pk for pk in function_ids if pk in everything]
    return {pk: everything[pk] for pk in reach(starts, edges_of(everything))}


def read_nodes(
    function_ids: Collection[int], *, apart_from: Collection[int] = ()
) -> dict[int, Node]:
    """Read these and what they lead to, following links from one to the next.

    It is not followed through those that it goes on `apart_from`.
    """
    return {
        row.id: Node(
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
        for row in chosen_rows(function_ids, apart_from)
    }


def find_changed(nodes: Mapping[int, Node]) -> set[int]:
    """Return those of these, which were read before, that are no longer as they were; maybe more.

    What a published implementation names stays as it is while it means functions that are there. So
    their own rows say enough, apart from those of which something that they name is missing.
    """
    seen = {pk: (*row, tuple(circle)) for pk, *row, circle in seen_rows(nodes.keys())}
    return {
        pk
        for pk, node in nodes.items()
        if seen.get(pk)
        != (node.name, node.elected, node.proposed, node.judging, node.digest, node.circle)
        or any(link.target not in seen for link in node.links)
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
        node = _known.get(pk)
        if node is None:
            unknown.add(pk)
        else:
            nodes[pk] = node
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
