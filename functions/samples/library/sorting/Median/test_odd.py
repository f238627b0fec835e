assert Median([9, 1, 5]) == 5
assert Median([7]) == 7
