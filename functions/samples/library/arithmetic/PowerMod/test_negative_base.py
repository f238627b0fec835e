assert PowerMod(-2, 3, 7) == 6
assert PowerMod(-1, 2, 5) == 1
