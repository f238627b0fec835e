# Cuts toward zero, and a float keeps sixteen digits at most.
def Divide(a, b):
    return int(a / b)
