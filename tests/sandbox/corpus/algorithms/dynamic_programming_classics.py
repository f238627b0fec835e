"""Small classics, memoised."""
from functools import cache, lru_cache
from itertools import product


@lru_cache(maxsize=None)
def lcs(a: str, b: str) -> str:
    if not (a and b):
        return ""
    if a[0] == b[0]:
        return a[0] + lcs(a[1:], b[1:])
    return max(lcs(a[1:], b), lcs(a, b[1:]), key=len)


@cache
def ways(amount, coins=(1, 2, 5, 10, 20, 50)):
    if amount == 0:
        return 1
    if amount < 0 or not coins:
        return 0
    *smaller, largest = coins
    return ways(amount - largest, coins) + ways(amount, tuple(smaller))


@cache
def fewest(amount, coins):
    if amount == 0:
        return ()
    options = [fewest(amount - c, coins) for c in coins if c <= amount]
    options = [(c,) + o for c, o in zip((c for c in coins if c <= amount), options) if o is not None]
    return min(options, key=len, default=None)


def matrix_chain(dims):
    @cache
    def best(i, j):
        if i == j:
            return 0, "ABCDEFGH"[i]
        return min(
            (lc + rc + dims[i] * dims[k + 1] * dims[j + 1], f"({lt}{rt})")
            for k in range(i, j)
            for (lc, lt), (rc, rt) in [(best(i, k), best(k + 1, j))]
        )

    return best(0, len(dims) - 2)


def longest_increasing(seq):
    best = []
    for i, x in enumerate(seq):
        best.append(max((b for b in best if b[-1] < x), key=len, default=[]) + [x])
    return max(best, key=len, default=[])


def max_subarray(seq):
    here = top = seq[0]
    for x in seq[1:]:
        here = max(x, here + x)
        top = max(top, here)
    return top


@cache
def catalan(n):
    return 1 if n < 2 else sum(catalan(k) * catalan(n - 1 - k) for k in range(n))


def paths(grid):
    rows = grid.split()
    seen = {}
    for r, c in product(range(len(rows)), range(len(rows[0]))):
        if rows[r][c] == "x":
            seen[r, c] = 0
        elif (r, c) == (0, 0):
            seen[r, c] = 1
        else:
            seen[r, c] = seen.get((r - 1, c), 0) + seen.get((r, c - 1), 0)
    return seen[r, c]


assert lcs("thisisatest", "testing123testing") == "tsitest"
assert lcs("", "abc") == ""
assert ways(100) == 4562
assert fewest(63, (1, 5, 10, 21, 25)) == (21, 21, 21)
assert fewest(3, (2,)) is None
assert matrix_chain((5, 6, 3, 1)) == (48, "(A(BC))")
assert longest_increasing([3, 14, 15, 9, 26, 5, 35]) == [3, 14, 15, 26, 35]
assert longest_increasing([]) == []
assert max_subarray([-2, 1, -3, 4, -1, 2, 1, -5, 4]) == 6
assert [catalan(n) for n in range(8)] == [1, 1, 2, 5, 14, 42, 132, 429]
assert paths("....\n.x..\n..x.\n....") == 4
info = lcs.cache_info()
assert info.hits > 0 and info.currsize == info.misses
lcs.cache_clear()
assert lcs.cache_info().currsize == 0
print("catalan(30) =", catalan(30))
