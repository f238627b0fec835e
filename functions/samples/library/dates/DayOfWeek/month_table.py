# January and February belong to the year before, so that the leap day comes
# last. <<DaysInMonth>> refuses impossible days.
NAMES = (
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
)
OFFSETS = (0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4)


def DayOfWeek(year, month, day):
    if not 1 <= day <= DaysInMonth(year, month):
        raise ValueError("there is no such day")
    if month < 3:
        year -= 1
    shift = year + year // 4 - year // 100 + year // 400
    return NAMES[(shift + OFFSETS[month - 1] + day) % 7]
