assert [Binomial(6, k) for k in range(7)] == [1, 6, 15, 20, 15, 6, 1]
