"""Streams of primes and other sequences, with generator pipelines."""
from collections import defaultdict
from itertools import accumulate, chain, compress, count, cycle, islice, pairwise, takewhile, tee
from operator import mul


def take(n, it):
    return list(islice(it, n))


def sieve(n):
    flags = bytearray([1]) * n
    flags[:2] = b"\0\0"
    for i in range(int(n**0.5) + 1):
        if flags[i]:
            flags[i * i::i] = bytes(len(range(i * i, n, i)))
    return compress(range(n), flags)


def endless():
    """Each composite waits under its number for its prime factors."""
    waiting = defaultdict(list)
    for n in count(2):
        if n not in waiting:
            yield n
            waiting[n * n].append(n)
        else:
            for p in waiting.pop(n):
                waiting[n + p].append(p)


def wheel():
    yield from (2, 3, 5)
    gaps = cycle((4, 2, 4, 2, 4, 6, 2, 6))
    known = []
    for n in accumulate(chain((7,), gaps)):
        if all(n % p for p in takewhile(lambda p: p * p <= n, known)):
            known.append(n)
            yield n


def filtering():
    numbers = count(2)
    while True:
        p = next(numbers)
        yield p
        numbers = filter(p.__rmod__, numbers)


def fibonacci(a=0, b=1):
    while True:
        yield a
        a, b = b, a + b


def collatz(n):
    while n != 1:
        yield n
        n = n // 2 if n % 2 == 0 else 3 * n + 1
    yield 1


def hamming():
    def times(k, it):
        return (k * x for x in it)

    def merged(*its):
        its = [[next(it), it] for it in its]
        last = None
        while True:
            slot = min(its, key=lambda s: s[0])
            if slot[0] != last:
                last = slot[0]
                yield last
            slot[0] = next(slot[1])

    def loop():
        yield 1
        a, b, c = tee(output, 3)
        yield from merged(times(2, a), times(3, b), times(5, c))

    output, result = tee(loop())
    return result


def twins():
    return ((p, q) for p, q in pairwise(endless()) if q - p == 2)


def batched(it, n):
    it = iter(it)
    while batch := tuple(islice(it, n)):
        yield batch


def gaps(it):
    return (b - a for a, b in pairwise(it))


first = list(sieve(300))
for stream in endless, wheel, filtering:
    assert take(len(first), stream()) == first, stream.__name__
assert take(4, twins()) == [(3, 5), (5, 7), (11, 13), (17, 19)]
assert take(10, fibonacci()) == [0, 1, 1, 2, 3, 5, 8, 13, 21, 34]
assert take(5, fibonacci(2, 1)) == [2, 1, 3, 4, 7]
assert sum(x for x in takewhile(lambda x: x < 4_000_000, fibonacci()) if x % 2 == 0) == 4613732
assert list(collatz(6)) == [6, 3, 10, 5, 16, 8, 4, 2, 1]
assert max(range(1, 200), key=lambda n: len([*collatz(n)])) == 171
assert take(15, hamming()) == [1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 15, 16, 18, 20, 24]
assert take(4, accumulate(endless(), mul)) == [2, 6, 30, 210]
assert list(batched("abcdefg", 3)) == [("a", "b", "c"), ("d", "e", "f"), ("g",)]
assert max(gaps(first)) == 14
print(*take(12, endless()), "...", f"{sum(1 for _ in sieve(10_000))} below ten thousand")
