assert Halve(-8) == -4
assert Halve(-7) == -4
assert Halve(-1) == -1
