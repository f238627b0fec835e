def test_small_limits():
    assert [CountPrimes(limit) for limit in (0, 2, 3, 4, 10, 100)] == [0, 0, 1, 2, 4, 25]


def test_below_four_thousand():
    assert CountPrimes(4_000) == 550
