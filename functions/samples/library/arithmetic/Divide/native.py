def Divide(a, b):
    return a // b
