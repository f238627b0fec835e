# Each number is the sum (<<Add>>) of the two above it.
def Binomial(n, k):
    if k < 0 or k > n:
        return 0
    row = [1]
    for _ in range(n):
        inner = [Add(a, b) for a, b in zip(row, row[1:])]
        row = [1, *inner, 1]
    return row[k]
