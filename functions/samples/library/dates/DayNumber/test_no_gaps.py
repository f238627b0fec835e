# The lengths come from <<DaysInMonth>>.
for year in (1999, 2000, 2100):
    for month in range(1, 12):
        last = DayNumber(year, month, DaysInMonth(year, month))
        assert DayNumber(year, month + 1, 1) == last + 1
