# Where the moon is corrected, and where a year is easily counted into the
# wrong century.
known = {
    1697: (4, 7),
    1700: (4, 11),
    1893: (4, 2),
    1999: (4, 4),
    2000: (4, 23),
    2106: (4, 18),
}
for year, expected in known.items():
    log(f"{year}: {Easter(year)}")
    assert Easter(year) == expected
