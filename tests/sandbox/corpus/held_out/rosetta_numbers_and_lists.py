"""Assorted chrestomathy tasks, one function each, run from a table."""
import operator
import random
from fractions import Fraction
from functools import reduce
from itertools import accumulate, chain, combinations, count, islice, takewhile


def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


def happy(n, seen=()):
    if n in seen:
        return False
    return n == 1 or happy(sum(int(d) ** 2 for d in str(n)), seen + (n,))


def powerset(s):
    xs = list(s)
    return chain.from_iterable(combinations(xs, r) for r in range(len(xs) + 1))


def pascal(n):
    row = [1]
    for _ in range(n):
        yield row
        row = [a + b for a, b in zip([0] + row, row + [0])]


def hailstone(n):
    seq = [n]
    while n > 1:
        n = 3 * n + 1 if n & 1 else n // 2
        seq.append(n)
    return seq


def bernoulli():
    A, m = [], 0
    while True:
        A.append(Fraction(1, m + 1))
        for j in range(m, 0, -1):
            A[j - 1] = j * (A[j - 1] - A[j])
        yield A[0]
        m += 1


def egyptian_multiply(a, b):
    total = 0
    while a:
        if a & 1:
            total += b
        a >>= 1
        b <<= 1
    return total


def catalan(n):
    return reduce(lambda c, k: c * 2 * (2 * k + 1) // (k + 2), range(n), 1)


def sattolo(items):
    i = len(items)
    while i > 1:
        i -= 1
        j = random.randrange(i)
        items[j], items[i] = items[i], items[j]
    return items


def spiral(n):
    grid = [[None] * n for _ in range(n)]
    x, y, dx, dy = 0, 0, 1, 0
    for i in range(n * n):
        grid[y][x] = i
        nx, ny = x + dx, y + dy
        if not (0 <= nx < n and 0 <= ny < n) or grid[ny][nx] is not None:
            dx, dy = -dy, dx
            nx, ny = x + dx, y + dy
        x, y = nx, ny
    return grid


def hofstadter_q(n, memo={1: 1, 2: 1}):
    if n not in memo:
        memo[n] = hofstadter_q(n - hofstadter_q(n - 1)) + hofstadter_q(n - hofstadter_q(n - 2))
    return memo[n]


def continued_fraction(x):
    while True:
        a, r = divmod(x.numerator, x.denominator)
        yield a
        if not r:
            return
        x = Fraction(x.denominator, r)


random.seed(0)
cycle = sattolo(list(range(10)))
assert all(i != v for i, v in enumerate(cycle))

tasks = [
    (ackermann(2, 3), 9),
    ([n for n in range(1, 40) if happy(n)], [1, 7, 10, 13, 19, 23, 28, 31, 32]),
    (len(list(powerset("abcd"))), 16),
    (list(pascal(5))[-1], [1, 4, 6, 4, 1]),
    ((len(hailstone(27)), max(hailstone(27))), (112, 9232)),
    ([str(b) for b in islice(bernoulli(), 9) if b], ["1", "1/2", "1/6", "-1/30", "1/42", "-1/30"]),
    (egyptian_multiply(17, 34), 578),
    ([catalan(n) for n in range(8)], [1, 1, 2, 5, 14, 42, 132, 429]),
    ([hofstadter_q(n) for n in range(1, 11)], [1, 1, 2, 3, 3, 4, 5, 5, 6, 6]),
    (list(continued_fraction(Fraction(649, 200))), [3, 4, 12, 4]),
    (list(accumulate(range(1, 7), operator.mul)), [1, 2, 6, 24, 120, 720]),
    (list(takewhile(lambda n: n < 60, (n * (n + 1) // 2 for n in count(1))))[-1], 55),
    (sum(Fraction(1, n) for n in range(1, 7)), Fraction(49, 20)),
]
for i, (got, want) in enumerate(tasks):
    assert got == want, "task %d: %r != %r" % (i, got, want)
for row in spiral(5):
    print(" ".join("%2i" % v for v in row))
print("%d tasks done" % len(tasks))
