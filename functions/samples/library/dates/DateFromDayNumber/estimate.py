# The year can't be later than the estimate with years of 365.2425 days, and
# hardly earlier. <<Divide>> estimates, <<DayNumber>> corrects,
# <<DaysInMonth>> finds the month. Uses <<Subtract>> and <<Multiply>>.
def DateFromDayNumber(number):
    if number < 1:
        raise ValueError("the calendar begins with day 1")
    year = Divide(Multiply(number, 10_000), 3_652_425) + 1
    while DayNumber(year, 1, 1) > number:
        year -= 1
    day = Subtract(number, DayNumber(year, 1, 1)) + 1
    month = 1
    while day > DaysInMonth(year, month):
        day = Subtract(day, DaysInMonth(year, month))
        month += 1
    return year, month, day
