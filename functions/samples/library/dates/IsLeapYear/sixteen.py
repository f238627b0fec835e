# A century that 16 divides is one that 400 divides, since 25 divides it.
def IsLeapYear(year):
    return year & (15 if year % 25 == 0 else 3) == 0
