def test_zero_is_refused():
    try:
        Totient(0)
    except ValueError:
        return
    check(False, "Totient(0) must raise ValueError")
