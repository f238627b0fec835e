# The same table, with every fourth year a leap year.
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
    if month < 3:
        year -= 1
    return NAMES[(year + year // 4 + OFFSETS[month - 1] + day + 6) % 7]
