# Square and multiply, cut back by <<Remainder>> at every step, so that no
# number grows beyond the modulus squared.
# Uses <<Multiply>>, <<Square>>, <<Halve>> and <<IsOdd>>.
def PowerMod(base, exponent, modulus):
    if exponent < 0 or modulus < 1:
        raise ValueError("needs exponent >= 0 and modulus >= 1")
    result = Remainder(1, modulus)
    base = Remainder(base, modulus)
    while exponent:
        if IsOdd(exponent):
            result = Remainder(Multiply(result, base), modulus)
        exponent = Halve(exponent)
        base = Remainder(Square(base), modulus)
    return result
