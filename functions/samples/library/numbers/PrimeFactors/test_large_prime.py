factors = PrimeFactors(6 * (2**31 - 1))
log(f"factors: {factors}")
assert factors == [2, 3, 2147483647]
