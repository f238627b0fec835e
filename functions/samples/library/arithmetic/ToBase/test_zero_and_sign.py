assert ToBase(0, 2) == "0"
assert ToBase(-8, 8) == "-10"
