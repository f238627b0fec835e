lengths = [DaysInMonth(2023, month) for month in range(1, 13)]
assert lengths == [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
