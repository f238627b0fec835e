# Flip every bit and <<Add>> one: how a processor without a minus sign
# negates.
def Negate(a):
    return Add(~a, 1)
