# The root is in low..high - 1. Needs <<Square>>, <<Halve>> and <<Add>>.
def SquareRoot(n):
    if n < 0:
        raise ValueError("negative numbers have no square root here")
    low, high = 0, n + 1
    while high - low > 1:
        middle = Halve(Add(low, high))
        if Square(middle) <= n:
            low = middle
        else:
            high = middle
    return low
