# Cross out multiples, starting at each prime's square, up to the
# <<SquareRoot>> of the limit.
def PrimesUpTo(limit):
    if limit < 2:
        return []
    candidate = [True] * (limit + 1)
    for n in range(2, SquareRoot(limit) + 1):
        if candidate[n]:
            multiples = range(n * n, limit + 1, n)
            candidate[n * n :: n] = [False] * len(multiples)
    return [n for n in range(2, limit + 1) if candidate[n]]
