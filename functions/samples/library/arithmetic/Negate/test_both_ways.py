def test_both_ways():
    assert Negate(5) == -5
    assert Negate(-5) == 5
