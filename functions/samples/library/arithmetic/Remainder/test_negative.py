assert Remainder(-1, 7) == 6
assert Remainder(-7, 7) == 0
assert Remainder(8, -3) == -1
assert Remainder(-8, -3) == -2
