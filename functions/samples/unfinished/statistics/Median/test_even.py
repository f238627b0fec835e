def test_even():
    assert Median([1, 2]) == 1.5
    assert Median([4, 1, 3, 2]) == 2.5
