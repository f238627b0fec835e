assert IsSorted([1, 2, 5, 9])
assert not IsSorted([1, 5, 2, 9])
assert not IsSorted([3, 2, 1])
