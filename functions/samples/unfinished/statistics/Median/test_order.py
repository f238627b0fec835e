def test_the_order_makes_no_difference():
    assert Median([3, 1, 2]) == Median([1, 2, 3]) == Median([2, 3, 1])
