assert Median([1, 2, 3, 4, 10**9]) == 3
assert Median([-5, -5, 0]) == -5
