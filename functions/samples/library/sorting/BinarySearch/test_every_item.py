items = [2, 3, 5, 7, 11, 13]
assert [BinarySearch(items, item) for item in items] == [0, 1, 2, 3, 4, 5]
