# Read the exponent's bits: <<Square>> for every one, <<Multiply>> where
# <<IsOdd>> says so, <<Halve>> to move on.
def Power(base, exponent):
    if exponent < 0:
        raise ValueError("the exponent must not be negative")
    result = 1
    while exponent:
        if IsOdd(exponent):
            result = Multiply(result, base)
        exponent = Halve(exponent)
        if exponent:
            base = Square(base)
    return result
