def test_a_mersenne_prime():
    assert IsPrime(2**61 - 1)


def test_a_large_composite():
    assert not IsPrime(1_000_000_007 * 998_244_353)


def test_impostors_that_deceive_the_first_few_witnesses():
    assert not IsPrime(3_215_031_751)
    assert not IsPrime(341_550_071_728_321)
