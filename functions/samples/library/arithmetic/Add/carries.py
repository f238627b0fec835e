# No plus sign: exclusive-or adds without carrying, `and` finds the carries,
# and a shift moves them one place to the left, until none is left.
def _gather(a, b):
    while b:
        a, b = a ^ b, (a & b) << 1
    return a


# The same with borrows, for a >= b >= 0.
def _take(a, b):
    while b:
        a, b = a ^ b, (~a & b) << 1
    return a


def Add(a, b):
    if a < 0 and b < 0:
        return -_gather(-a, -b)
    if a < 0:
        a, b = b, a
    if b >= 0:
        return _gather(a, b)
    if a >= -b:
        return _take(a, -b)
    return -_take(-b, a)
