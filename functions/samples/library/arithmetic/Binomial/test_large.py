assert Binomial(60, 30) == 118264581564861424
assert Binomial(100, 98) == Binomial(100, 2) == 4950
