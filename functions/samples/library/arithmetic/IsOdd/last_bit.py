def IsOdd(a):
    return a & 1 == 1
