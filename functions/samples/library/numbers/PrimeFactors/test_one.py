def test_one_has_none():
    assert PrimeFactors(1) == []


def test_zero_is_refused():
    try:
        PrimeFactors(0)
    except ValueError:
        return
    check(False, "PrimeFactors(0) must raise ValueError")
