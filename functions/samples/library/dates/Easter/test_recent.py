assert Easter(2024) == (3, 31)
assert Easter(2025) == (4, 20)
assert Easter(2026) == (4, 5)
