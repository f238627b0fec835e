assert [Remainder(hour, 12) for hour in (0, 11, 12, 13, 25)] == [
    0,
    11,
    0,
    1,
    1,
]
