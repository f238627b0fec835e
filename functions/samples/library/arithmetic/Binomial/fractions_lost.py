# Divides before it multiplies, and what was cut off is lost.
def Binomial(n, k):
    if k < 0 or k > n:
        return 0
    ways = 1
    for i in range(1, k + 1):
        ways *= (n - k + i) // i
    return ways
