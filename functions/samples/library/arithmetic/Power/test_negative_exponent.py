def test_negative_exponent():
    try:
        Power(2, -1)
    except ValueError:
        return
    check(False, "Power(2, -1) is no integer and must raise ValueError")
