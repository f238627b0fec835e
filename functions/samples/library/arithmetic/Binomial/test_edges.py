assert Binomial(0, 0) == 1
assert Binomial(5, 0) == 1
assert Binomial(5, 5) == 1
assert Binomial(5, 6) == 0
assert Binomial(5, -1) == 0
