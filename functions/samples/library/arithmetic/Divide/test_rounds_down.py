assert Divide(-7, 2) == -4
assert Divide(7, -2) == -4
assert Divide(-7, -2) == 3
assert Divide(-8, 2) == -4
