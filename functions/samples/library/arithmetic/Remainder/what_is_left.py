# <<Divide>> says how often, <<Multiply>> how much, <<Subtract>> what's left.
def Remainder(a, b):
    return Subtract(a, Multiply(Divide(a, b), b))
