def test_impossible_day():
    try:
        DayOfWeek(2023, 2, 29)
    except ValueError:
        return
    check(False, "29 February 2023 was accepted")
