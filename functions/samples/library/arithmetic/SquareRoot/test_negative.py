def test_refuses_negative_numbers():
    try:
        SquareRoot(-4)
    except ValueError:
        return
    check(False, "SquareRoot(-4) must raise ValueError")
