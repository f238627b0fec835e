# The heap gives the nearest place not yet visited, with the way to it.
# <<Add>> measures.
import heapq


def ShortestPath(graph, start, goal):
    frontier = [(0, [start])]
    visited = set()
    while frontier:
        length, path = heapq.heappop(frontier)
        place = path[-1]
        if place == goal:
            return path
        if place in visited:
            continue
        visited.add(place)
        for neighbour, road in graph.get(place, {}).items():
            if neighbour not in visited:
                step = (Add(length, road), [*path, neighbour])
                heapq.heappush(frontier, step)
    return []
