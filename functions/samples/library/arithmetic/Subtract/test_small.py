assert Subtract(9, 4) == 5
assert Subtract(9, 9) == 0
assert Subtract(9, 0) == 9
