def test_one_more_than_a_float_can_hold():
    assert Add(2**53, 1) == 9007199254740993


def test_a_carry_through_forty_nines():
    assert Add(10**40 - 1, 1) == 10**40
