primes = PrimesUpTo(10_000)
log(f"{len(primes)} primes, the last one is {primes[-1]}")
assert len(primes) == 1229
assert primes[-1] == 9973
