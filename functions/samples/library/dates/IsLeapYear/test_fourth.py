assert [year for year in range(2019, 2030) if IsLeapYear(year)] == [
    2020,
    2024,
    2028,
]
