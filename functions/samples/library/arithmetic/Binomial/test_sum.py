# The power comes from <<Power>>.
for n in (1, 7, 20):
    assert sum(Binomial(n, k) for k in range(n + 1)) == Power(2, n)
