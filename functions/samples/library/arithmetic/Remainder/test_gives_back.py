# The quotient comes from <<Divide>>.
for a in (-20, -3, 0, 5, 19, 10**20 + 1):
    for b in (-7, -1, 2, 9):
        assert Divide(a, b) * b + Remainder(a, b) == a, f"{a} by {b}"
