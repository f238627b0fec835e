# As one learns it: <<Add>> a to itself, b times; <<Negate>> for the signs.
# Beautifully plain, and hopeless for a large b.
def Multiply(a, b):
    if b < 0:
        a, b = Negate(a), Negate(b)
    total = 0
    while b > 0:
        total = Add(total, a)
        b -= 1
    return total
