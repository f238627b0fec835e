# How far the two are apart. That forgets on which side.
def Subtract(a, b):
    return max(a, b) - min(a, b)
