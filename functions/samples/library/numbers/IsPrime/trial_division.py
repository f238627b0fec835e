# Nothing could be clearer. A number of nineteen digits has a root of ten,
# though.
def IsPrime(n):
    if n < 2:
        return False
    divisor = 2
    while divisor * divisor <= n:
        if n % divisor == 0:
            return False
        divisor += 1
    return True
