assert AddDays((2024, 3, 1), -1) == (2024, 2, 29)
assert AddDays((2024, 1, 1), -365) == (2023, 1, 1)
