assert MergeSort([5, 2, 9, 1, 7]) == [1, 2, 5, 7, 9]
assert MergeSort(["pear", "apple", "fig"]) == ["apple", "fig", "pear"]
