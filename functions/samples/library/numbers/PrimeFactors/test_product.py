from math import prod

for n in range(1, 200):
    assert prod(PrimeFactors(n)) == n
