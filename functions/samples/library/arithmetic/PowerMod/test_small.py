# Compared with <<Power>>.
for base in range(6):
    for exponent in range(6):
        expected = Power(base, exponent) % 7
        assert PowerMod(base, exponent, 7) == expected
