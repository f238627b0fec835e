# A closed formula, as exact as the float that holds the root of five.
from math import sqrt


def Fibonacci(n):
    if n < 0:
        raise ValueError("the sequence begins at place 0")
    return round(((1 + sqrt(5)) / 2) ** n / sqrt(5))
