# Tries every road again and again. Slower, but there is no heap to explain.
def ShortestPath(graph, start, goal):
    best = {start: (0, [start])}
    improved = True
    while improved:
        improved = False
        for place, roads in graph.items():
            if place not in best:
                continue
            length, path = best[place]
            for neighbour, road in roads.items():
                known = best.get(neighbour)
                if known is None or length + road < known[0]:
                    best[neighbour] = (length + road, [*path, neighbour])
                    improved = True
    return best[goal][1] if goal in best else []
