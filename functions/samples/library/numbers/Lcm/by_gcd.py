# <<Divide>> by <<Gcd>> first, then <<Multiply>>: numbers stay small.
def Lcm(a, b):
    if a == 0 or b == 0:
        return 0
    return abs(Multiply(Divide(a, Gcd(a, b)), b))
