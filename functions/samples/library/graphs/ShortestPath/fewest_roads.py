# Breadth first: counts roads, not miles.
from collections import deque


def ShortestPath(graph, start, goal):
    paths = deque([[start]])
    seen = {start}
    while paths:
        path = paths.popleft()
        if path[-1] == goal:
            return path
        for neighbour in graph.get(path[-1], {}):
            if neighbour not in seen:
                seen.add(neighbour)
                paths.append([*path, neighbour])
    return []
