# Double the divisor until it no longer fits, then come back down, taking
# away what fits. Uses <<Add>>, <<Subtract>>, <<Double>> and <<Negate>>.
def Divide(a, b):
    if b == 0:
        raise ZeroDivisionError("nothing can be divided by zero")
    if b < 0:
        a, b = Negate(a), Negate(b)
    if a < 0:
        # Rounding down a negative quotient is rounding up its opposite.
        return Negate(Add(Divide(Subtract(Negate(a), 1), b), 1))
    steps = [b]
    while Double(steps[-1]) <= a:
        steps.append(Double(steps[-1]))
    quotient = 0
    for step in reversed(steps):
        quotient = Double(quotient)
        if step <= a:
            a = Subtract(a, step)
            quotient = Add(quotient, 1)
    return quotient
