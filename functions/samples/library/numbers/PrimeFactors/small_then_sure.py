# Divide out small factors; as soon as <<IsPrime>> recognises what is left,
# stop. Uses <<Divide>> and <<Remainder>>.
def PrimeFactors(n):
    if n < 1:
        raise ValueError("only positive numbers have prime factors")
    factors = []
    candidate = 2
    while n > 1:
        if IsPrime(n):
            factors.append(n)
            break
        while Remainder(n, candidate):
            candidate += 1
        factors.append(candidate)
        n = Divide(n, candidate)
    return factors
