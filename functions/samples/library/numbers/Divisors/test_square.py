assert Divisors(36) == [1, 2, 3, 4, 6, 9, 12, 18, 36]
assert Divisors(1) == [1]
