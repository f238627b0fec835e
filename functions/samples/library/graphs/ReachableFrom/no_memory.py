# Each wave is where the last one's arrows point. Nobody remembers where one
# has been, so a circle has no end; but the stack has.
def ReachableFrom(graph, start):
    return list(dict.fromkeys(_waves(graph, [start])))


def _waves(graph, wave):
    if not wave:
        return []
    beyond = [other for place in wave for other in graph.get(place, ())]
    return wave + _waves(graph, beyond)
