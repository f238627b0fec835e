assert Gcd(12, 18) == 6
assert Gcd(18, 12) == 6
assert Gcd(9, 28) == 1
assert Gcd(7, 7) == 7
