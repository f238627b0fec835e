assert Divide(-7, 2) == -4
assert Divide(7, -2) == -4
assert Divide(-7, -2) == 3
assert Divide(-8, 2) == -4
assert Divide(-1, 2) == -1
assert Divide(9, -1) == -9
