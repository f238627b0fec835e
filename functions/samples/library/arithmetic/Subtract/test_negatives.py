assert Subtract(4, -9) == 13
assert Subtract(-4, -9) == 5
assert Subtract(-4, 9) == -13
