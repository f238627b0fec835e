"""Graph algorithms on functions' ids: reachability, shortest paths, cycles, topological order."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator

# The direct dependencies of a function, in a fixed order.
Edges = Callable[[int], Iterable[int]]


def reachable(starts: Iterable[int], edges: Edges) -> list[int]:
    """Return the starts and all nodes that they lead to, nearest first."""
    found = dict.fromkeys(starts)
    waiting = deque(found)
    while waiting:
        for target in edges(waiting.popleft()):
            if target not in found:
                found[target] = None
                waiting.append(target)
    return list(found)


def find_path(starts: Iterable[int], goal: int, edges: Edges) -> list[int]:
    """Return a shortest path from a start to the goal, both included; empty if there is none."""
    came_from: dict[int, int | None] = dict.fromkeys(starts)
    waiting = deque(came_from)
    while waiting:
        node = waiting.popleft()
        if node == goal:
            return _walk_back(goal, came_from)
        for target in edges(node):
            if target not in came_from:
                came_from[target] = node
                waiting.append(target)
    return []


def _walk_back(goal: int, came_from: dict[int, int | None]) -> list[int]:
    path: list[int] = []
    node: int | None = goal
    while node is not None:
        path.append(node)
        node = came_from[node]
    return path[::-1]


def find_components(starts: Iterable[int], edges: Edges) -> list[list[int]]:
    """Return the strongly connected components reachable from the starts, dependencies first.

    A function in no cycle is a component of its own. (Tarjan, "Depth-first search and linear graph
    algorithms", 1972; with an explicit stack, as graphs may be deep.)
    """
    groups: list[list[int]] = []
    low: dict[int, int] = {}  # order of discovery of the earliest open node in reach
    open_nodes: dict[int, None] = {}  # seen, but not in a component yet
    for start in starts:
        if start in low:
            continue
        low[start] = len(low)
        open_nodes[start] = None
        path: list[tuple[int, int, Iterator[int]]] = [(start, low[start], iter(edges(start)))]
        while path:
            node, index, targets = path[-1]
            target = next((t for t in targets if t not in low or t in open_nodes), None)
            if target is None:
                path.pop()
                if path:
                    parent = path[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == index:
                    groups.append(_pop_component(node, open_nodes))
            elif target in low:
                low[node] = min(low[node], low[target])
            else:
                low[target] = len(low)
                open_nodes[target] = None
                path.append((target, low[target], iter(edges(target))))
    return groups


def _pop_component(first: int, open_nodes: dict[int, None]) -> list[int]:
    """Pop the component with this root off the open nodes."""
    component: list[int] = []
    while not component or component[-1] != first:
        node, _ = open_nodes.popitem()
        component.append(node)
    return component[::-1]


def topological_order(starts: Iterable[int], edges: Edges) -> list[int]:
    """Return all nodes reachable from the starts, dependencies first; cycles stay together."""
    return [node for component in find_components(starts, edges) for node in component]
