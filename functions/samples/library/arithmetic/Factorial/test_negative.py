def test_refuses_negative_numbers():
    try:
        Factorial(-1)
    except ValueError:
        return
    check(False, "Factorial(-1) must raise ValueError")
