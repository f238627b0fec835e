def test_a_mersenne_prime():
    assert IsPrime(2**61 - 1)


def test_a_large_composite():
    assert not IsPrime(1_000_000_007 * 998_244_353)
