# Fast and careful about rounding, but a float has only 53 bits to be
# careful with.
from math import fsum


def Add(a, b):
    return fsum((a, b))
