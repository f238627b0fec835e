assert IsSorted([1, 1, 2, 2])
assert IsSorted(["a", "a"])
