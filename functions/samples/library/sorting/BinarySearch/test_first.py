assert BinarySearch([1, 2, 2, 2, 2, 3], 2) == 1
assert BinarySearch([5, 5, 5, 5], 5) == 0
