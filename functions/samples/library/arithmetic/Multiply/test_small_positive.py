def test_small_positive_integers():
    assert Multiply(3, 4) == 12
    assert Multiply(7, 6) == 42
    assert Multiply(12, 12) == 144
