# Cutting rounds toward zero, not down; and the division is a float's.
def Halve(a):
    return int(a / 2)
