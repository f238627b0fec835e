assert Power(2, 10) == 1024
assert Power(3, 4) == 81
assert Power(10, 3) == 1000
