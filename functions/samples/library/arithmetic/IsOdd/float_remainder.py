# A float's remainder takes the sign of the number: -1 for -3.
from math import fmod


def IsOdd(a):
    return fmod(a, 2) == 1
