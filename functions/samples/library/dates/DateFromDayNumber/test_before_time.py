def test_day_zero():
    try:
        DateFromDayNumber(0)
    except ValueError:
        return
    check(False, "day 0 was accepted")
