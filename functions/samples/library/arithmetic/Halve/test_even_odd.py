assert Halve(10) == 5
assert Halve(7) == 3
assert Halve(1) == 0
assert Halve(0) == 0
