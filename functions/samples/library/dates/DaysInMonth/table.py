# <<IsLeapYear>> matters for February alone.
LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def DaysInMonth(year, month):
    if not 1 <= month <= 12:
        raise ValueError("months are numbered from 1 to 12")
    if month == 2 and IsLeapYear(year):
        return 29
    return LENGTHS[month - 1]
