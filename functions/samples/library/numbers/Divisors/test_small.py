assert Divisors(12) == [1, 2, 3, 4, 6, 12]
assert Divisors(13) == [1, 13]
