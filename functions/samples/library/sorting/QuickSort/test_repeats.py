assert QuickSort([3, 1, 3, 2, 1, 3]) == [1, 1, 2, 3, 3, 3]
assert QuickSort([]) == []
