# Add the logarithms and come back. A slide rule has three digits, a float
# sixteen; an integer may have more.
import math


def Multiply(a, b):
    if a == 0 or b == 0:
        return 0
    size = round(math.exp(math.log(abs(a)) + math.log(abs(b))))
    return size if (a < 0) == (b < 0) else -size
