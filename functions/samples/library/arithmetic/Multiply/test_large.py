def test_large_integers_stay_exact():
    assert Multiply(10**18 + 1, 10**18 - 1) == 10**36 - 1
