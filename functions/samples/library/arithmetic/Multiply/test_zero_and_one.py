def test_zero_absorbs():
    for n in (0, 1, -1, 50):
        assert Multiply(n, 0) == 0
        assert Multiply(0, n) == 0


def test_one_is_neutral():
    assert Multiply(1, 29) == 29
    assert Multiply(-8, 1) == -8
