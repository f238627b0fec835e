# Right to sixteen digits.
from math import pow as float_power


def Power(base, exponent):
    if exponent < 0:
        raise ValueError("the exponent must not be negative")
    return int(float_power(base, exponent))
