from datetime import date

for year in (1, 4, 100, 400, 1999, 2000, 2400):
    last = date(year, 12, 31).toordinal()
    log(f"day {last} is {DateFromDayNumber(last)}")
    assert DateFromDayNumber(last) == (year, 12, 31)
    assert DateFromDayNumber(last + 1) == (year + 1, 1, 1)
