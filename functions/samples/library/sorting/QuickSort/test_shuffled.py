assert QuickSort([5, -2, 9, 0, 7]) == [-2, 0, 5, 7, 9]
assert QuickSort(list("quick")) == list("cikqu")
