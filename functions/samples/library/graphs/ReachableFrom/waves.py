# A queue keeps the waves in order, a set keeps circles from going on.
from collections import deque


def ReachableFrom(graph, start):
    reached = [start]
    seen = {start}
    waiting = deque([start])
    while waiting:
        for place in graph.get(waiting.popleft(), ()):
            if place not in seen:
                seen.add(place)
                reached.append(place)
                waiting.append(place)
    return reached
