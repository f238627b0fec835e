def test_bad_months():
    for month in (0, 13, -1):
        try:
            DaysInMonth(2024, month)
        except ValueError:
            continue
        check(False, f"month {month} was accepted")
