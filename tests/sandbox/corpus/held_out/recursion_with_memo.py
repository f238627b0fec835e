import sys
from functools import lru_cache, cache, wraps

sys.setrecursionlimit(10000)


def memoize(f):
    memo = {}

    @wraps(f)
    def helper(*args):
        if args not in memo:
            memo[args] = f(*args)
        return memo[args]
    helper.memo = memo
    return helper


@memoize
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


@lru_cache(maxsize=None)
def lcs(a, b):
    if not a or not b:
        return ""
    if a[0] == b[0]:
        return a[0] + lcs(a[1:], b[1:])
    return max(lcs(a[1:], b), lcs(a, b[1:]), key=len)


@cache
def partitions(n, largest=None):
    largest = n if largest is None else largest
    if n == 0:
        return 1
    return sum(partitions(n - k, min(k, n - k)) for k in range(1, min(n, largest) + 1))


@cache
def stirling2(n, k):
    if n == k:
        return 1
    if not 0 < k < n:
        return 0
    return k * stirling2(n - 1, k) + stirling2(n - 1, k - 1)


def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)


def hanoi(n, src="A", dst="C", via="B"):
    if n:
        yield from hanoi(n - 1, src, via, dst)
        yield src, dst
        yield from hanoi(n - 1, via, dst, src)


def change(amount, coins):
    best = {0: []}

    def solve(a):
        if a < 0:
            return None
        if a not in best:
            options = [(solve(a - c), c) for c in coins]
            options = [o + [c] for o, c in options if o is not None]
            best[a] = min(options, key=len) if options else None
        return best[a]
    return solve(amount)


def permutations(s):
    if len(s) <= 1:
        return [s]
    return [c + p for i, c in enumerate(s) for p in permutations(s[:i] + s[i + 1:])]


def flood(grid, x, y, new):
    old = grid[y][x]
    if old == new:
        return 0
    grid[y][x] = new
    n = 1
    for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        if 0 <= x + dx < len(grid[0]) and 0 <= y + dy < len(grid) and grid[y + dy][x + dx] == old:
            n += flood(grid, x + dx, y + dy, new)
    return n


def mutual_even(n): return n == 0 or mutual_odd(n - 1)
def mutual_odd(n): return n != 0 and mutual_even(n - 1)


assert fib(300) == 222232244629420445529739893505090668888 // 1 or fib(300) % 10 == 0
assert fib.memo[(10,)] == 55 and len(fib.memo) == 301
print(lcs("nematode knowledge", "empty bottle"))
assert lcs("AGGTAB", "GXTXAYB") == "GTAB"
assert partitions(100) == 190569292
assert [stirling2(5, k) for k in range(1, 6)] == [1, 15, 25, 10, 1]
assert depth(3000) == 3000
assert len(list(hanoi(7))) == 127
assert sorted(change(63, (1, 5, 10, 21, 25))) == [21, 21, 21] and change(3, (2, 4)) is None
assert permutations("abc") == ["abc", "acb", "bac", "bca", "cab", "cba"]
grid = [list(row) for row in ("..#..", ".##..", "#....")]
assert flood(grid, 4, 0, "~") == 8
print("\n".join(map("".join, grid)))
assert mutual_even(500) and not mutual_odd(500)
print(fib.__name__, lcs.cache_info().misses, sys.getrecursionlimit())
try:
    depth(10 ** 6)
except RecursionError:
    print("too deep")
