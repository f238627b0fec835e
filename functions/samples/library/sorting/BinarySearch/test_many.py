# Looking at every item, four thousand times, would take too long.
items = list(range(0, 200_000, 2))
for place in range(0, 100_000, 50):
    assert BinarySearch(items, 2 * place) == place
    assert BinarySearch(items, 2 * place + 1) == -1
