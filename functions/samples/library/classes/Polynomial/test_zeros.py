assert Polynomial(1, 0) == Polynomial(1)
assert Polynomial(0, 0) == Polynomial()
assert Polynomial(1, 2) != Polynomial(1)
assert Polynomial(0, 1) != Polynomial(1)
assert Polynomial(1, 2, 0, 0).degree == 1
assert (Polynomial(1, 2) + Polynomial(1, -2)).degree == 0
