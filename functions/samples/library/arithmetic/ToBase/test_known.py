assert ToBase(10, 2) == "1010"
assert ToBase(255, 16) == "ff"
assert ToBase(35, 36) == "z"
