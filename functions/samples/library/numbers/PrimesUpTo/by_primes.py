# A number is prime if no prime up to its root divides it.
def PrimesUpTo(limit):
    primes = []
    for n in range(2, limit + 1):
        for prime in primes:
            if prime * prime > n:
                primes.append(n)
                break
            if n % prime == 0:
                break
        else:
            primes.append(n)
    return primes
