"""The graph of a function's dependencies and dependents, level by level."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, zip_longest

from django.db.models import F, Q, QuerySet

from functions.models import Dependency, Function, Work
from functions.read_models.links import MISSING, FunctionLink, as_linked, link_to
from functions.read_models.snapshot import snapshot
from runner.events.topics import Head, heads

MAX_LEVELS = 8  # in each direction
MAX_EDGES = 1_000  # read per level
MAX_FUNCTIONS = 1_000  # in each direction
MAX_SHOWN = 50  # per level
MAX_FOLLOWED = 20  # nearest functions whose topics an open page follows

# A function's id, or an undefined name.
Target = int | str
# Returns the edges from these functions, as pairs of source and target.
Step = Callable[[list[int]], list[tuple[int, Target]]]
Found = dict[Target, set[int]]  # targets of one level, with their neighbours in the previous one


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphNode:
    """A function in a level, or an undefined name, which has no id."""

    id: int | None
    link: FunctionLink
    through: tuple[str, ...]  # neighbours in the previous level
    leads_back: bool  # it both imports the function and is imported by it


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """The functions at one distance, by name."""

    number: int
    nodes: tuple[GraphNode, ...]
    left_out: int  # number of functions above the limit


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """The functions found in one direction."""

    levels: tuple[Level, ...]
    is_all: bool

    @property
    def count(self) -> int:
        """Number of functions found."""
        return sum(len(level.nodes) + level.left_out for level in self.levels)


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphPage:
    """A function with its dependencies and dependents."""

    function: Function
    imports: Side
    importers: Side
    positions: Mapping[str, Head]  # positions of the topics to follow


@dataclass(slots=True)
class _Search:
    levels: list[Found]
    is_all: bool

    @property
    def seen(self) -> set[Target]:
        return {target for level in self.levels for target in level}


def graph_page(function: Function) -> GraphPage:
    """Return the graph in both directions, with one query per level.

    A function's dependencies are those of its current implementation; if it has none, those of all
    published implementations. Raises Function.DoesNotExist if it was deleted meanwhile.
    """
    with snapshot():
        row = as_linked(Q(pk=function.pk)).get()
        searches = _search(row.pk, _imported), _search(row.pk, _importing)
        ids = {target for search in searches for target in search.seen if isinstance(target, int)}
        links = {found.pk: link_to(found) for found in as_linked(Q(pk__in=ids))}
        links[row.pk] = link_to(row)
        imports = _side(searches[0], links, searches[1].seen)
        importers = _side(searches[1], links, searches[0].seen)
        near = islice(_nearest(imports, importers), MAX_FOLLOWED)
        positions = heads([row.topic, *(f"function:{pk}" for pk in near)])
    return GraphPage(function=row, imports=imports, importers=importers, positions=positions)


def _nearest(*sides: Side) -> Iterator[int]:
    """Yield the ids of the shown functions, nearest first."""
    for levels in zip_longest(*(side.levels for side in sides)):
        yield from (node.id for level in levels if level for node in level.nodes if node.id)


def _edges() -> QuerySet[Dependency]:
    of_function = "implementation__function"
    is_current = Q(implementation=F(f"{of_function}__elected"))
    is_candidate = Q(implementation__state=Work.State.PUBLISHED)
    is_candidate &= Q(**{f"{of_function}__elected": None})
    return Dependency.objects.filter(is_current | is_candidate)


def _imported(ids: list[int]) -> list[tuple[int, Target]]:
    rows = _edges().filter(implementation__function__in=ids)
    named = rows.values_list("implementation__function", "target", "name")[:MAX_EDGES]
    return [(near, target or name) for near, target, name in named]


def _importing(ids: list[int]) -> list[tuple[int, Target]]:
    rows = _edges().filter(target__in=ids, implementation__function__deleted_at=None)
    return list(rows.values_list("target", "implementation__function")[:MAX_EDGES])


def _search(start: int, step: Step) -> _Search:
    levels: list[Found] = []
    seen: set[Target] = {start}
    frontier, is_all = [start], True
    while frontier and len(levels) < MAX_LEVELS and len(seen) < MAX_FUNCTIONS:
        edges = step(frontier)
        is_all = is_all and len(edges) < MAX_EDGES
        level: Found = {}
        for near, target in edges:
            if target not in seen:
                level.setdefault(target, set()).add(near)
        seen.update(level)
        frontier = [target for target in level if isinstance(target, int)]
        levels += [level] if level else []
    return _Search(levels, is_all and not frontier)


def _side(search: _Search, links: Mapping[int, FunctionLink], opposite: set[Target]) -> Side:
    levels = (
        _level(number, found, links, opposite)
        for number, found in enumerate(search.levels, start=1)
    )
    return Side(levels=tuple(levels), is_all=search.is_all)


def _level(
    number: int, found: Found, links: Mapping[int, FunctionLink], opposite: set[Target]
) -> Level:
    by_name = sorted(
        ((_link(target, links), target) for target in found), key=lambda pair: pair[0].key
    )
    nodes = tuple(
        GraphNode(
            id=target if isinstance(target, int) else None,
            link=link,
            through=_names(found[target], links),
            leads_back=target in opposite,
        )
        for link, target in by_name[:MAX_SHOWN]
    )
    return Level(number=number, nodes=nodes, left_out=len(by_name) - len(nodes))


def _link(target: Target, links: Mapping[int, FunctionLink]) -> FunctionLink:
    return links[target] if isinstance(target, int) else FunctionLink(name=target, status=MISSING)


def _names(ids: Iterable[int], links: Mapping[int, FunctionLink]) -> tuple[str, ...]:
    return tuple(sorted(links[pk].name for pk in ids))
