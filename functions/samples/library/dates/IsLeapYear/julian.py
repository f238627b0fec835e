# Every fourth year, as until 1582. Three days too many in 400 years.
def IsLeapYear(year):
    return year % 4 == 0
