# For a prime p, every base to the power of p - 1 leaves 1.
p = 1_000_000_007
for base in (2, 3, 10**6):
    log(f"{base} to the power of {p - 1}, modulo {p}")
    assert PowerMod(base, p - 1, p) == 1
