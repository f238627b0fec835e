# Reads "up to" as range() does.
def PrimesUpTo(limit):
    crossed_out = set()
    primes = []
    for n in range(2, limit):
        if n not in crossed_out:
            primes.append(n)
            crossed_out.update(range(n * n, limit, n))
    return primes
