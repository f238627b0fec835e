assert DaysInMonth(2024, 2) == 29
assert DaysInMonth(1900, 2) == 28
assert DaysInMonth(2000, 2) == 29
