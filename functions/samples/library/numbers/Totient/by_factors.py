# Of each p numbers, p - 1 are not multiples of p: <<Divide>> by every
# different prime in <<PrimeFactors>> and <<Multiply>> by one less.
def Totient(n):
    count = n
    for prime in set(PrimeFactors(n)):
        count = Multiply(Divide(count, prime), prime - 1)
    return count
