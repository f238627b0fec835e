def PowerMod(base, exponent, modulus):
    if exponent < 0 or modulus < 1:
        raise ValueError("needs exponent >= 0 and modulus >= 1")
    return pow(base, exponent, modulus)
