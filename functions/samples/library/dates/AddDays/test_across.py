assert AddDays((2023, 12, 31), 1) == (2024, 1, 1)
assert AddDays((2023, 2, 28), 1) == (2023, 3, 1)
assert AddDays((2024, 2, 28), 1) == (2024, 2, 29)
assert AddDays((1900, 2, 28), 1) == (1900, 3, 1)
