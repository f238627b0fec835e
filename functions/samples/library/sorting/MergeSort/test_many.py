# The order is judged by <<IsSorted>>.
items = [(n * 7919) % 2003 - 1000 for n in range(2000)]
ordered = MergeSort(items)
assert IsSorted(ordered)
assert len(ordered) == 2000
