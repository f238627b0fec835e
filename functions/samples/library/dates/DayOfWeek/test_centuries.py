assert DayOfWeek(1899, 12, 31) == "Sunday"
assert DayOfWeek(1900, 3, 1) == "Thursday"
assert DayOfWeek(2100, 3, 1) == "Monday"
