assert ParseIsoDate("2026-11-21") == (2026, 11, 21)
assert ParseIsoDate("0800-08-09") == (800, 8, 9)
assert ParseIsoDate("2024-02-29") == (2024, 2, 29)
assert ParseIsoDate("0001-01-01") == (1, 1, 1)
