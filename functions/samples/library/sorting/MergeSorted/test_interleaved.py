assert MergeSorted([1, 4, 6], [2, 3, 7]) == [1, 2, 3, 4, 6, 7]
