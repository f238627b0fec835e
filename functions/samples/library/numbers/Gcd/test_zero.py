assert Gcd(0, 5) == 5
assert Gcd(5, 0) == 5
assert Gcd(0, 0) == 0
