# Leap years before this one: every 4th, not every 100th, but every 400th
# (<<Divide>>). Then the months before this one (<<DaysInMonth>>).
# Uses <<Add>>, <<Multiply>> and <<Subtract>>.
def DayNumber(year, month, day):
    if not 1 <= day <= DaysInMonth(year, month):
        raise ValueError(f"there is no day {day} in month {month} of {year}")
    past = Subtract(year, 1)
    leap_days = Divide(past, 4) - Divide(past, 100) + Divide(past, 400)
    number = Add(Multiply(past, 365), leap_days)
    for earlier in range(1, month):
        number = Add(number, DaysInMonth(year, earlier))
    return Add(number, day)
