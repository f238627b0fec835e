# The weekday comes from <<DayOfWeek>>.
for year in (1583, 1600, 1700, 1900, 2000, 2100, 2300):
    month, day = Easter(year)
    log(f"{year}: {day} {'March' if month == 3 else 'April'}")
    assert DayOfWeek(year, month, day) == "Sunday"
