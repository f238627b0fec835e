# The longer list loses its end, silently.
def DotProduct(a, b):
    return sum(x * y for x, y in zip(a, b))
