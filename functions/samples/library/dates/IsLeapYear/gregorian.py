# <<Remainder>> for the three cases.
def IsLeapYear(year):
    if Remainder(year, 100) == 0:
        return Remainder(year, 400) == 0
    return Remainder(year, 4) == 0
