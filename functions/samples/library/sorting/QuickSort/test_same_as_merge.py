# <<MergeSort>> sorts the same list.
items = [(n * 104729) % 997 for n in range(800)]
assert QuickSort(items) == MergeSort(items)
