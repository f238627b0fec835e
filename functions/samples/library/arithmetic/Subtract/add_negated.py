# <<Add>> the number that <<Negate>> turned round.
def Subtract(a, b):
    return Add(a, Negate(b))
