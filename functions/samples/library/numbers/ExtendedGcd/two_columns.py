# Each remainder is a combination of a and b; x and y keep the books.
# Uses <<Divide>>, <<Multiply>> and <<Subtract>>; <<Negate>> at the end.
def ExtendedGcd(a, b):
    x, next_x = 1, 0
    y, next_y = 0, 1
    while b:
        quotient = Divide(a, b)
        a, b = b, Subtract(a, Multiply(quotient, b))
        x, next_x = next_x, Subtract(x, Multiply(quotient, next_x))
        y, next_y = next_y, Subtract(y, Multiply(quotient, next_y))
    if a < 0:
        a, x, y = Negate(a), Negate(x), Negate(y)
    return a, x, y
