assert Double(2) == 4
assert Double(3) == 6
assert Double(10) == 20
