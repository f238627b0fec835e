leap_years = sum(IsLeapYear(year) for year in range(2001, 2401))
log(f"{leap_years} leap years from 2001 to 2400")
assert leap_years == 97
