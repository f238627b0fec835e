# Whoever starts at the wrong end finds two islands where there is one.
# Uses <<ReachableFrom>>.
def ConnectedComponents(graph):
    islands = []
    seen = set()
    for place in sorted(graph):
        if place not in seen:
            island = ReachableFrom(graph, place)
            seen.update(island)
            islands.append(sorted(island))
    return islands
