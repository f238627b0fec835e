"""Graphs: what is reached, in which order, and where it goes round."""

from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from functions.graph.algorithms import find_components, find_path, reachable, topological_order

Graph = dict[int, list[int]]


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    size = draw(st.integers(1, 8))
    nodes = st.integers(0, size - 1)
    return {node: draw(st.lists(nodes, max_size=4, unique=True)) for node in range(size)}


def reaches(graph: Graph, start: int, goal: int) -> bool:
    """Tell by brute force, in at least one step."""
    steps: set[int] = set(graph[start])
    for _ in graph:
        steps |= {target for node in steps for target in graph[node]}
    return goal in steps


@given(graphs())
def test_all_that_can_be_reached_is_reached_once(graph: Graph) -> None:
    found = reachable([0], graph.__getitem__)
    assert len(found) == len(set(found))
    assert set(found) == {0} | {node for node in graph if reaches(graph, 0, node)}


@given(graphs())
def test_a_group_is_a_circle_and_a_circle_one_group(graph: Graph) -> None:
    groups = find_components(graph, graph.__getitem__)
    assert sorted(node for circle in groups for node in circle) == sorted(graph)
    home = {node: number for number, circle in enumerate(groups) for node in circle}
    for one in graph:
        for other in graph:
            together = reaches(graph, one, other) and reaches(graph, other, one)
            assert (home[one] == home[other]) == (together or one == other)


@given(graphs())
def test_dependencies_come_first(graph: Graph) -> None:
    position = {
        node: place for place, node in enumerate(topological_order(graph, graph.__getitem__))
    }
    for node, targets in graph.items():
        for target in targets:
            if not reaches(graph, target, node):
                assert position[target] < position[node]


@given(graphs())
def test_a_circle_is_seen_where_the_standard_library_sees_one(graph: Graph) -> None:
    without_loops = {node: [t for t in targets if t != node] for node, targets in graph.items()}
    try:
        TopologicalSorter(without_loops).prepare()
        is_circular = False
    except CycleError:
        is_circular = True
    assert (
        any(len(circle) > 1 for circle in find_components(graph, graph.__getitem__)) == is_circular
    )


@given(graphs(), st.integers(0, 7))
def test_a_path_is_a_walk_to_the_goal_if_there_is_one(graph: Graph, goal: int) -> None:
    path = find_path(graph[0], goal, graph.__getitem__)
    assert bool(path) == (goal in graph and reaches(graph, 0, goal))
    if path:
        assert path[0] in graph[0]
        assert path[-1] == goal
        assert all(b in graph[a] for a, b in pairwise(path))


def test_a_chain_of_a_hundred_thousand_is_no_matter() -> None:
    last = 100_000

    def edges(node: int) -> list[int]:
        return [node + 1] if node < last else []

    assert topological_order([0], edges)[0] == last
    assert len(find_path([0], last, edges)) == last + 1
