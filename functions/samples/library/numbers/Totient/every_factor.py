# Forgets that a prime that divides twice counts only once.
# Uses <<PrimeFactors>>.
def Totient(n):
    count = n
    for prime in PrimeFactors(n):
        count = count // prime * (prime - 1)
    return count
