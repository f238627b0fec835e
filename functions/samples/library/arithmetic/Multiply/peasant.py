# Russian peasant multiplication.
# Uses <<Add>>, <<Double>>, <<Halve>>, <<IsOdd>> and <<Negate>>.
def Multiply(a, b):
    if abs(a) < abs(b):
        a, b = b, a
    if b < 0:
        a, b = Negate(a), Negate(b)
    total = 0
    while b > 0:
        if IsOdd(b):
            total = Add(total, a)
        a, b = Double(a), Halve(b)
    return total
