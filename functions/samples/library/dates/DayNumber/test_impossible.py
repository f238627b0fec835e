def test_impossible_days():
    for year, month, day in (
        (2023, 2, 29),
        (1900, 2, 29),
        (2024, 4, 31),
        (2024, 1, 0),
    ):
        try:
            DayNumber(year, month, day)
        except ValueError:
            continue
        check(False, f"{year}-{month}-{day} was accepted")
