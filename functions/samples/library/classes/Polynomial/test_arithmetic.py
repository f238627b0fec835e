p, q = Polynomial(1, 2, 3), Polynomial(-4, 0, 0, 5)
for x in range(-5, 6):
    assert (p + q)(x) == p(x) + q(x)
    assert (p * q)(x) == p(x) * q(x)
assert (p * q).degree == 5
assert p * q == q * p
assert p + q == q + p
assert (p + Polynomial()) == p
assert (p * Polynomial()).degree == -1
