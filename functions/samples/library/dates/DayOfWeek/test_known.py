assert DayOfWeek(1969, 7, 20) == "Sunday"
assert DayOfWeek(2000, 1, 1) == "Saturday"
assert DayOfWeek(2026, 11, 21) == "Saturday"
