def test_refuses_negative_places():
    try:
        Fibonacci(-1)
    except ValueError:
        return
    check(False, "Fibonacci(-1) must raise ValueError")
