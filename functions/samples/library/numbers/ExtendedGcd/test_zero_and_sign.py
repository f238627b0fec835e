def test_zero():
    assert ExtendedGcd(0, 0)[0] == 0
    assert ExtendedGcd(6, 0)[0] == 6


def test_negative():
    for a, b in ((-240, 46), (240, -46), (-9, -6), (0, -5), (0, -1)):
        g, x, y = ExtendedGcd(a, b)
        assert g > 0
        assert a * x + b * y == g
