def test_the_order_makes_no_difference():
    assert MostCommon([3, 1, 3]) == MostCommon([3, 3, 1]) == MostCommon([1, 3, 3])
