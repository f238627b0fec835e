# Day 1 was a Monday, so the <<Remainder>> of <<DayNumber>> by seven tells.
NAMES = (
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
)


def DayOfWeek(year, month, day):
    return NAMES[Remainder(DayNumber(year, month, day), 7)]
