assert not IsSorted([1, 2, 3, 2])
