primes = [n for n in range(-7, 50) if IsPrime(n)]
assert primes == [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47]
