assert AddDays((2026, 5, 1), 10) == (2026, 5, 11)
assert AddDays((2026, 5, 1), 0) == (2026, 5, 1)
