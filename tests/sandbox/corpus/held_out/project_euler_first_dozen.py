# Project Euler 1-12ish, my solutions
import math
from itertools import count, takewhile, combinations
from functools import reduce
import datetime


def euler1(limit=1000):
    return sum(i for i in range(limit) if i % 3 == 0 or i % 5 == 0)


def fib():
    a, b = 1, 2
    while 1:
        yield a
        a, b = b, a + b


def euler2():
    return sum(x for x in takewhile(lambda x: x <= 4e6, fib()) if not x & 1)


def euler3(n=600851475143):
    p = 2
    while p * p <= n:
        if n % p == 0:
            n //= p
        else:
            p += 1
    return n


def euler4():
    best = 0
    for i in range(999, 900, -1):
        for j in range(i, 900, -1):
            s = str(i * j)
            if s == s[::-1]:
                best = max(best, i * j)
    return best


def euler5():
    return reduce(lambda a, b: a * b // math.gcd(a, b), range(1, 21))


def euler6(n=100):
    return sum(range(n + 1)) ** 2 - sum(i ** 2 for i in range(n + 1))


def euler9():
    for a, b in combinations(range(150, 400), 2):
        c = 1000 - a - b
        if a * a + b * b == c * c:
            return a * b * c


def euler14_small(limit=3000):
    cache = {1: 1}

    def collatz(n):
        if n not in cache:
            cache[n] = 1 + collatz(n // 2 if n % 2 == 0 else 3 * n + 1)
        return cache[n]

    return max(range(1, limit), key=collatz)


def euler16():
    return sum(map(int, str(2 ** 1000)))


def euler19():
    return sum(datetime.date(y, m, 1).weekday() == 6
               for y in range(1901, 2001) for m in range(1, 13))


def euler25():
    for i, f in enumerate(fib(), 2):
        if len(str(f)) >= 1000:
            return i


def euler48():
    return sum(pow(i, i, 10 ** 10) for i in range(1, 1001)) % 10 ** 10


answers = dict(euler1=233168, euler2=4613732, euler3=6857, euler4=906609, euler5=232792560,
               euler6=25164150, euler9=31875000, euler14_small=2919, euler16=1366, euler19=171,
               euler25=4782, euler48=9110846700)

for name, expected in sorted(answers.items(), key=lambda kv: int(kv[0][5:].split('_')[0])):
    result = globals()[name]()
    print('%-15s %12d %s' % (name, result, 'OK' if result == expected else 'WRONG'))
    assert result == expected, (name, result)
