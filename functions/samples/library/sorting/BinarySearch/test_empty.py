assert BinarySearch([], 1) == -1
assert BinarySearch([1], 1) == 0
