assert Power(5, 0) == 1
assert Power(0, 0) == 1
assert Power(0, 5) == 0
assert Power(1, 60) == 1
assert Power(7, 1) == 7
