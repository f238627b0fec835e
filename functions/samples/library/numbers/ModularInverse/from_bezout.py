# <<ExtendedGcd>> gives a*x + modulus*y == 1; <<Remainder>> tidies x.
def ModularInverse(a, modulus):
    if modulus < 1:
        raise ValueError("the modulus must be positive")
    divisor, x, _ = ExtendedGcd(a, modulus)
    if divisor != 1:
        raise ValueError(f"{a} has no inverse modulo {modulus}")
    return Remainder(x, modulus)
