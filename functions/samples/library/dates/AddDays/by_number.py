# <<DayNumber>>, <<Add>>, <<DateFromDayNumber>>.
def AddDays(date, days):
    return DateFromDayNumber(Add(DayNumber(*date), days))
