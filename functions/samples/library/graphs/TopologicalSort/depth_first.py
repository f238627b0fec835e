# A possible order, but not always the promised one; and of a circle it
# says nothing.
def TopologicalSort(needs):
    order = []
    seen = set()

    def visit(item):
        if item not in seen:
            seen.add(item)
            for first in sorted(needs.get(item, ())):
                visit(first)
            order.append(item)

    for item in sorted(needs):
        visit(item)
    return order
