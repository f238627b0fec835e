# One <<Multiply>>.
def Square(a):
    return Multiply(a, a)
