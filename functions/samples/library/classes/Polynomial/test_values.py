parabola = Polynomial(1, 0, 3)
for x, value in ((0, 1), (1, 4), (-2, 13), (10**12, 3 * 10**24 + 1)):
    assert parabola(x) == value
assert Polynomial()(5) == 0
assert Polynomial(7)(5) == 7
assert [Polynomial(*[1] * n).degree for n in range(4)] == [-1, 0, 1, 2]
