# The moon repeats itself nearly every 19 years; the corrections are for the
# leap days that the centuries leave out and for the moon's own drift.
# Uses <<Remainder>>, <<Divide>>, <<DayNumber>> and <<DateFromDayNumber>>.
def Easter(year):
    if year < 1583:
        raise ValueError("the Gregorian calendar begins in 1583")
    golden = Remainder(year, 19)
    century = Divide(year, 100)
    drift = century - Divide(century, 4) - Divide(8 * century + 13, 25)
    days_to_full_moon = Remainder(19 * golden + drift + 15, 30)
    # The church's tables know no full moon on 19 April, and move a second
    # one on 18 April to the 17th.
    if days_to_full_moon == 29 or (days_to_full_moon == 28 and golden > 10):
        days_to_full_moon -= 1
    full_moon = DayNumber(year, 3, 21) + days_to_full_moon
    sunday = full_moon + 7 - Remainder(full_moon, 7)
    return DateFromDayNumber(sunday)[1:]
