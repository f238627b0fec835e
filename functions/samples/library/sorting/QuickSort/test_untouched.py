items = [3, 1, 2]
QuickSort(items)
assert items == [3, 1, 2]
