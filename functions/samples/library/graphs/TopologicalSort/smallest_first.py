# A heap of what is ready; finishing an item makes others ready.
import heapq


def TopologicalSort(needs):
    missing = {}
    needed_by = {}
    for item, first in needs.items():
        missing.setdefault(item, set()).update(first)
        for other in first:
            missing.setdefault(other, set())
            needed_by.setdefault(other, []).append(item)
    ready = [item for item, first in missing.items() if not first]
    heapq.heapify(ready)
    order = []
    while ready:
        item = heapq.heappop(ready)
        order.append(item)
        for waiting in needed_by.get(item, ()):
            if item in missing[waiting]:
                missing[waiting].remove(item)
                if not missing[waiting]:
                    heapq.heappush(ready, waiting)
    if len(order) < len(missing):
        raise ValueError("some items need each other")
    return order
