# Right until the number has more digits than a float.
from math import sqrt


def SquareRoot(n):
    return int(sqrt(n))
