# <<Multiply>> pair by pair, <<Add>> it up.
def DotProduct(a, b):
    total = 0
    for x, y in zip(a, b, strict=True):
        total = Add(total, Multiply(x, y))
    return total
