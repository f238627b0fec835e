assert DateFromDayNumber(1) == (1, 1, 1)
assert DateFromDayNumber(719163) == (1970, 1, 1)
