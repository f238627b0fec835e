a, b = [1, 3], [2, 4]
MergeSorted(a, b)
assert a == [1, 3]
assert b == [2, 4]
