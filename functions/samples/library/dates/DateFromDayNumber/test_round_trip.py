# The numbers come from <<DayNumber>>.
for year in (4, 1900, 2000, 2023, 2024):
    first = DayNumber(year, 1, 1)
    for number in range(first, first + 366, 5):
        found = DateFromDayNumber(number)
        assert DayNumber(*found) == number, f"{found}"
