# If 2 to the power of n - 1 leaves 1 (<<PowerMod>>), n is prime. Nearly.
def IsPrime(n):
    if n < 3:
        return n == 2
    return PowerMod(2, n - 1, n) == 1
