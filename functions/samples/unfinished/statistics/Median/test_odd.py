def test_odd():
    assert Median([7]) == 7
    assert Median([1, 5, 2]) == 2
    assert Median([0.5, -1.5, 3.0, 2.0, 1.0]) == 1.0
