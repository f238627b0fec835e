def test_refuses_zero():
    try:
        Divide(5, 0)
    except ZeroDivisionError:
        return
    check(False, "dividing by zero must raise ZeroDivisionError")
