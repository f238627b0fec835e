# Knuckles are long, gaps are short, and July and August are neighbouring
# knuckles of two hands. February asks <<IsLeapYear>>.
def DaysInMonth(year, month):
    if not 1 <= month <= 12:
        raise ValueError("months are numbered from 1 to 12")
    if month == 2:
        return 29 if IsLeapYear(year) else 28
    place = month if month <= 7 else month - 7
    return 31 if place % 2 else 30
