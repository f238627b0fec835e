"""A small toolbox of iterator helpers, in the spirit of more-itertools."""
import collections
import functools
import math
import operator
import random
from itertools import (accumulate, chain, combinations, compress, count, cycle, dropwhile,
                       filterfalse, groupby, islice, pairwise, permutations, product, repeat,
                       starmap, takewhile, tee, zip_longest)


def take(n, iterable):
    "First n items of the iterable as a list"
    return list(islice(iterable, n))


def prepend(value, iterable):
    return chain([value], iterable)


def tabulate(function, start=0):
    return map(function, count(start))


def tail(n, iterable):
    return iter(collections.deque(iterable, maxlen=n))


def consume(iterator, n=None):
    if n is None:
        collections.deque(iterator, maxlen=0)
    else:
        next(islice(iterator, n, n), None)


def nth(iterable, n, default=None):
    return next(islice(iterable, n, None), default)


def all_equal(iterable):
    g = groupby(iterable)
    return next(g, True) and not next(g, False)


def quantify(iterable, pred=bool):
    return sum(map(pred, iterable))


def ncycles(iterable, n):
    return chain.from_iterable(repeat(tuple(iterable), n))


def dotproduct(v1, v2):
    return sum(map(operator.mul, v1, v2))


def chunked(iterable, n, *, incomplete="fill", fillvalue=None):
    args = [iter(iterable)] * n
    match incomplete:
        case "fill":
            return zip_longest(*args, fillvalue=fillvalue)
        case "strict":
            return zip(*args, strict=True)
        case "ignore":
            return zip(*args)
        case _:
            raise ValueError("Expected fill, strict, or ignore")


def batches(iterable, n):
    if n < 1:
        raise ValueError("n must be at least one")
    it = iter(iterable)
    while batch := tuple(islice(it, n)):
        yield batch


def sliding(iterable, n):
    it = iter(iterable)
    window = collections.deque(islice(it, n - 1), maxlen=n)
    for x in it:
        window.append(x)
        yield tuple(window)


def roundrobin(*iterables):
    pending = len(iterables)
    nexts = cycle(iter(it).__next__ for it in iterables)
    while pending:
        try:
            for nxt in nexts:
                yield nxt()
        except StopIteration:
            pending -= 1
            nexts = cycle(islice(nexts, pending))


def partition(pred, iterable):
    t1, t2 = tee(iterable)
    return filterfalse(pred, t1), filter(pred, t2)


def powerset(iterable):
    s = list(iterable)
    return chain.from_iterable(combinations(s, r) for r in range(len(s) + 1))


def unique_everseen(iterable, key=None):
    seen = set()
    for element in iterable:
        k = element if key is None else key(element)
        if k not in seen:
            seen.add(k)
            yield element


def unique_justseen(iterable, key=None):
    return map(next, map(operator.itemgetter(1), groupby(iterable, key)))


def iter_except(func, exception, first=None):
    try:
        if first is not None:
            yield first()
        while True:
            yield func()
    except exception:
        pass


def sieve(n):
    data = bytearray((0, 1)) * (n // 2)
    data[:3] = 0, 0, 0
    for p in compress(range(math.isqrt(n) + 1), data):
        data[p * p : n : p + p] = bytes(len(range(p * p, n, p + p)))
    data[2] = 1
    return compress(count(), data)


def random_product(*pools, rng=random, times=1):
    pools = [tuple(pool) for pool in pools] * times
    return tuple(map(rng.choice, pools))


def triplewise(iterable):
    for (a, _), (b, c) in pairwise(pairwise(iterable)):
        yield a, b, c


assert take(3, tabulate(lambda n: n * n, 2)) == [4, 9, 16]
assert list(prepend(0, [1, 2])) == [0, 1, 2]
assert "".join(tail(3, "ABCDEFG")) == "EFG"
it = iter(range(10))
consume(it, 4)
assert next(it) == 4
consume(it)
assert next(it, "done") == "done"
assert nth("abc", 1) == "b" and nth("abc", 9, "?") == "?"
assert all_equal("aaa") and not all_equal("aab") and all_equal("")
assert quantify([True, False, True]) == 2
assert list(ncycles("ab", 2)) == ["a", "b", "a", "b"]
assert dotproduct([1, 2, 3], [4, 5, 6]) == 32
assert list(chunked("ABCDE", 2, fillvalue="x")) == [("A", "B"), ("C", "D"), ("E", "x")]
assert list(chunked("ABCDE", 2, incomplete="ignore")) == [("A", "B"), ("C", "D")]
try:
    list(chunked("ABCDE", 2, incomplete="strict"))
except ValueError as exc:
    assert "shorter" in str(exc)
else:
    raise AssertionError("should have been strict")
assert ["".join(b) for b in batches("ABCDEFG", 3)] == ["ABC", "DEF", "G"]
assert list(sliding("ABCD", 3)) == [("A", "B", "C"), ("B", "C", "D")]
assert "".join(roundrobin("ABC", "D", "EF")) == "ADEBFC"
evens, odds = (list(p) for p in partition(lambda x: x % 2, range(6)))
assert evens == [0, 2, 4] and odds == [1, 3, 5]
assert len(list(powerset(range(5)))) == 2**5
assert "".join(unique_everseen("AAAABBBCCDAABBB")) == "ABCD"
assert "".join(unique_everseen("ABBcCAD", str.lower)) == "ABcD"
assert "".join(unique_justseen("AAAABBBCCDAABBB")) == "ABCDAB"
d = {"a": 1, "b": 2}
assert list(iter_except(d.popitem, KeyError)) == [("b", 2), ("a", 1)]
assert list(sieve(30)) == [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]
assert len(random_product("ab", range(3), rng=random.Random(1), times=2)) == 4
assert list(triplewise("ABCD")) == [("A", "B", "C"), ("B", "C", "D")]
assert list(accumulate([1, 2, 3, 4], operator.mul, initial=1)) == [1, 1, 2, 6, 24]
assert list(starmap(pow, [(2, 5), (3, 2)])) == [32, 9]
assert list(takewhile(lambda x: x < 3, count())) == [0, 1, 2]
assert list(dropwhile(str.isspace, "  x ")) == ["x", " "]
assert sum(1 for p in permutations(range(4)) if p[0] < p[-1]) == 12
assert functools.reduce(lambda a, _: a + 1, product("ab", repeat=3), 0) == 8
print("itertools toolbox ok")
