# Takes its sign from the wrong operand.
from math import fmod


def Remainder(a, b):
    if b == 0:
        raise ZeroDivisionError("nothing can be divided by zero")
    return int(fmod(a, b))
