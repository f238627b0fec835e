assert ToBase(0, 2) == "0"
assert ToBase(-8, 8) == "-10"
assert ToBase(-1, 2) == "-1"
