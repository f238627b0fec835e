"""Shortest paths in a weighted directed graph, with a heap of dataclasses."""

from __future__ import annotations

import heapq
import math
from collections import defaultdict
from dataclasses import dataclass, field


@dataclass(order=True)
class QueueItem:
    distance: float
    node: str = field(compare=False)


@dataclass(frozen=True)
class Edge:
    source: str
    target: str
    weight: float = 1.0

    def __post_init__(self) -> None:
        if self.weight < 0:
            raise ValueError(f"negative weight: {self.weight!r}")


class Graph:
    def __init__(self, edges: list[Edge] | None = None):
        self._adjacent: dict[str, list[Edge]] = defaultdict(list)
        for edge in edges or []:
            self.add(edge)

    def add(self, edge: Edge) -> None:
        self._adjacent[edge.source].append(edge)
        self._adjacent.setdefault(edge.target, [])

    @classmethod
    def from_text(cls, text: str) -> Graph:
        edges = []
        for line in text.strip().splitlines():
            source, target, weight = line.split()
            edges.append(Edge(source, target, float(weight)))
        return cls(edges)

    def __contains__(self, node: str) -> bool:
        return node in self._adjacent

    def __len__(self) -> int:
        return len(self._adjacent)

    def shortest_paths(self, start: str) -> tuple[dict[str, float], dict[str, str]]:
        if start not in self:
            raise KeyError(start)
        best = {node: math.inf for node in self._adjacent}
        best[start] = 0.0
        previous: dict[str, str] = {}
        queue = [QueueItem(0.0, start)]
        visited: set[str] = set()
        while queue:
            item = heapq.heappop(queue)
            if item.node in visited:
                continue
            visited.add(item.node)
            for edge in self._adjacent[item.node]:
                candidate = item.distance + edge.weight
                if candidate < best[edge.target]:
                    best[edge.target] = candidate
                    previous[edge.target] = item.node
                    heapq.heappush(queue, QueueItem(candidate, edge.target))
        return best, previous

    def path(self, start: str, end: str) -> list[str]:
        best, previous = self.shortest_paths(start)
        if best[end] == math.inf:
            return []
        steps = [end]
        while steps[-1] != start:
            steps.append(previous[steps[-1]])
        return steps[::-1]


TOWNS = """
a b 7
a c 9
a f 14
b c 10
b d 15
c d 11
c f 2
d e 6
f e 9
x a 1
"""


def main() -> None:
    graph = Graph.from_text(TOWNS)
    best, _ = graph.shortest_paths("a")
    for node, distance in sorted(best.items(), key=lambda pair: pair[1]):
        print(f"{node}: {distance:>5.1f}")
    assert len(graph) == 7
    assert best["e"] == 20
    assert math.isinf(best["x"])
    assert graph.path("a", "e") == ["a", "c", "f", "e"]
    assert graph.path("a", "x") == []
    assert QueueItem(1, "z") < QueueItem(2, "a")
    try:
        Edge("p", "q", -1)
    except ValueError as error:
        assert "-1" in str(error)
    else:
        assert False, "negative weights must be refused"


if __name__ == "__main__":
    main()
