# What divides both divides the <<Remainder>> too.
def Gcd(a, b):
    a, b = abs(a), abs(b)
    while b:
        a, b = b, Remainder(a, b)
    return a
