# Three half-size products instead of four.
# Uses <<Add>>, <<Subtract>>, <<Halve>> and <<Negate>>.
CUTOFF_BITS = 64


def Multiply(a, b):
    if b < 0:
        a, b = Negate(a), Negate(b)
    if a < 0:
        return Negate(Multiply(Negate(a), b))
    bits = max(a.bit_length(), b.bit_length())
    if bits <= CUTOFF_BITS:
        return a * b
    half = Halve(bits)
    mask = Subtract(1 << half, 1)
    high = Multiply(a >> half, b >> half)
    low = Multiply(a & mask, b & mask)
    mixed = Multiply(Add(a >> half, a & mask), Add(b >> half, b & mask))
    middle = Subtract(Subtract(mixed, high), low)
    return Add(Add(high << (half << 1), middle << half), low)
