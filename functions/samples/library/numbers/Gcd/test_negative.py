assert Gcd(-12, 18) == 6
assert Gcd(12, -18) == 6
assert Gcd(-12, -18) == 6
assert Gcd(-4, 0) == 4
