# No cleverness, no mistakes.
def Divisors(n):
    if n < 1:
        raise ValueError("only positive numbers have divisors here")
    return [divisor for divisor in range(1, n + 1) if n % divisor == 0]
