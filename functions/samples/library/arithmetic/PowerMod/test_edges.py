assert PowerMod(5, 0, 1) == 0
assert PowerMod(5, 3, 1) == 0
assert PowerMod(5, 0, 9) == 1
assert PowerMod(0, 0, 9) == 1
