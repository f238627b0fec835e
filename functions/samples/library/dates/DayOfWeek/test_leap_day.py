assert DayOfWeek(2024, 2, 28) == "Wednesday"
assert DayOfWeek(2024, 2, 29) == "Thursday"
assert DayOfWeek(2024, 3, 1) == "Friday"
