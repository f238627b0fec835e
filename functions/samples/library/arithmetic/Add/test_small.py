def test_small_sums():
    assert Add(2, 3) == 5
    assert Add(7, 8) == 15


def test_zero_changes_nothing():
    for n in (-9, 0, 41):
        assert Add(n, 0) == n
        assert Add(0, n) == n
