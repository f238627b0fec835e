def test_refuses_zero():
    try:
        Remainder(5, 0)
    except ZeroDivisionError:
        return
    check(False, "a remainder by zero must raise ZeroDivisionError")
