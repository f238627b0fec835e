# Every intermediate <<Divide>> is exact, because k + 1 neighbours always
# contain a multiple of k + 1. Uses <<Multiply>>.
def Binomial(n, k):
    if k < 0 or k > n:
        return 0
    k = min(k, n - k)
    ways = 1
    for i in range(1, k + 1):
        ways = Divide(Multiply(ways, n - k + i), i)
    return ways
