assert Divide(12, 4) == 3
assert Divide(13, 4) == 3
assert Divide(15, 4) == 3
assert Divide(16, 4) == 4
assert Divide(3, 4) == 0
assert Divide(0, 4) == 0
