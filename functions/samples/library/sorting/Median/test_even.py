assert Median([4, 1, 3, 2]) == 2.5
assert Median([10, 20]) == 15
