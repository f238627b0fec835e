# The last bit falls off, which rounds down for negative numbers too.
def Halve(a):
    return a >> 1
