assert [y for y in range(1600, 2500, 100) if IsLeapYear(y)] == [
    1600,
    2000,
    2400,
]
