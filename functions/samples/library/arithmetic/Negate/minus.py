def Negate(a):
    return -a
