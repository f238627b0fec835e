# As <<Gcd>> sees it.
for a, b in ((240, 46), (13, 13), (1, 99), (35, 64)):
    assert ExtendedGcd(a, b)[0] == Gcd(a, b)
