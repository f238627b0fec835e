assert DayNumber(1, 1, 1) == 1
assert DayNumber(1, 12, 31) == 365
assert DayNumber(2, 1, 1) == 366
