# One line of Euclid. The result inherits a sign.
def Gcd(a, b):
    return Gcd(b, a % b) if b else a
