# One <<Multiply>> a factor: slower, but nobody has to think.
def Power(base, exponent):
    if exponent < 0:
        raise ValueError("the exponent must not be negative")
    result = 1
    for _ in range(exponent):
        result = Multiply(result, base)
    return result
