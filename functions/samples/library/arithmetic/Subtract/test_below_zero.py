def test_below_zero():
    assert Subtract(4, 9) == -5
    assert Subtract(0, 1) == -1


def test_order_turns_the_sign():
    assert Subtract(3, 8) == -Subtract(8, 3)
