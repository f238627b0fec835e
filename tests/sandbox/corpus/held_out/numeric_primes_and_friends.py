#!/usr/bin/python
# -*- coding: utf-8 -*-
import math
from bisect import bisect_left, bisect_right
from functools import reduce
from itertools import compress, count, islice


def sieve(n):
    """Sieve with a bytearray and slice assignment."""
    flags = bytearray([1]) * (n + 1)
    flags[0:2] = b"\0\0"
    for i in range(2, math.isqrt(n) + 1):
        if flags[i]:
            flags[i * i::i] = bytes(len(range(i * i, n + 1, i)))
    return list(compress(range(n + 1), flags))


def postponed():
    """Endless primes."""
    yield from (2, 3, 5, 7)
    multiples = {}
    ps = postponed()
    next(ps)
    p = next(ps)
    q = p * p
    for c in count(9, 2):
        if c in multiples:
            step = multiples.pop(c)
        elif c < q:
            yield c
            continue
        else:
            step = 2 * p
            p = next(ps)
            q = p * p
        for m in count(c + step, step):
            if m not in multiples:
                break
        multiples[m] = step


def is_probable_prime(n, bases=(2, 3, 5, 7, 11, 13)):
    if n < 2:
        return False
    for p in bases:
        if n % p == 0:
            return n == p
    d, s = n - 1, 0
    while not d & 1:
        d >>= 1
        s += 1
    for a in bases:
        x = pow(a, d, n)
        if x in (1, n - 1):
            continue
        for _ in range(s - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return False
    return True


def pollard(n):
    if n % 2 == 0:
        return 2
    for c in count(1):
        f = lambda x: (x * x + c) % n
        x = y = 2
        d = 1
        while d == 1:
            x, y = f(x), f(f(y))
            d = math.gcd(abs(x - y), n)
        if d != n:
            return d


def factor(n):
    if n == 1:
        return []
    if is_probable_prime(n):
        return [n]
    d = pollard(n)
    return sorted(factor(d) + factor(n // d))


def phi(n):
    return reduce(lambda r, p: r // p * (p - 1), set(factor(n)), n)


def divisors(n):
    small = [d for d in range(1, math.isqrt(n) + 1) if n % d == 0]
    return small + [n // d for d in reversed(small) if d * d != n]


primes = sieve(20000)
assert len(primes) == 2262 and primes[-1] == 19997
assert list(islice(postponed(), 300)) == primes[:300]
assert all(is_probable_prime(n) == (n == primes[bisect_left(primes, n)]) for n in range(2, 3000))
assert is_probable_prime(2 ** 61 - 1) and not is_probable_prime(2 ** 67 - 1)
print(factor(600851475143), factor(2 ** 32 + 1), factor(360))
assert factor(2 ** 32 + 1) == [641, 6700417]
assert phi(36) == 12 and sum(phi(d) for d in divisors(60)) == 60
perfect = [n for n in range(2, 1000) if sum(divisors(n)) == 2 * n]
print("perfect: %s" % perfect)
assert perfect == [6, 28, 496]
goldbach = [next((p, n - p) for p in primes if is_probable_prime(n - p)) for n in range(4, 40, 2)]
assert goldbach[-1] == (7, 31)
twins = [(p, q) for p, q in zip(primes, primes[1:]) if q - p == 2]
assert twins[:3] == [(3, 5), (5, 7), (11, 13)]
print("primes between 100 and 130:", primes[bisect_right(primes, 100):bisect_left(primes, 130)])
assert pow(3, -1, 11) == 4
