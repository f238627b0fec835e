# Every divisor is a product of some of <<PrimeFactors>>; a set forgets the
# repetitions. Uses <<Multiply>>.
def Divisors(n):
    divisors = {1}
    for prime in PrimeFactors(n):
        divisors |= {Multiply(divisor, prime) for divisor in divisors}
    return sorted(divisors)
