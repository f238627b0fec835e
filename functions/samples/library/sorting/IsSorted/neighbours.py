def IsSorted(items):
    return all(not b < a for a, b in zip(items, items[1:]))
