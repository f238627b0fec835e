# Straight from the definition, with <<Gcd>>.
def Totient(n):
    if n < 1:
        raise ValueError("only for positive numbers")
    return sum(1 for k in range(1, n + 1) if Gcd(k, n) == 1)
