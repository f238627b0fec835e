# Numbers that count how often they are compared would tell; a list long
# enough to feel a linear search does too.
items = list(range(0, 200_000, 2))
for place in range(0, 100_000, 50):
    assert BinarySearch(items, 2 * place) == place
    assert BinarySearch(items, 2 * place + 1) == -1
