from datetime import date

for year, month, day in (
    (101, 1, 1),
    (401, 1, 1),
    (1900, 3, 1),
    (2000, 2, 29),
    (2026, 11, 21),
):
    number = DayNumber(year, month, day)
    log(f"{year}-{month:02}-{day:02} is day {number}")
    assert number == date(year, month, day).toordinal()
