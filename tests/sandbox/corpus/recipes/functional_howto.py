"""Functional style: compose, reduce, cmp_to_key, total_ordering, pipelines of generators."""
import functools
import itertools
import operator
from functools import cmp_to_key, reduce, total_ordering

compose = lambda *fs: reduce(lambda f, g: lambda *a, **k: f(g(*a, **k)), fs)
identity = lambda x: x
const = lambda x: lambda *_: x
flip = lambda f: lambda a, b: f(b, a)


def curry(f, n):
    return f() if n == 0 else (lambda *a: curry(functools.partial(f, *a), n - len(a)))


def unfold(f, seed):
    while (pair := f(seed)) is not None:
        value, seed = pair
        yield value


def scan(f, xs, start):
    yield start
    for x in xs:
        yield (start := f(start, x))


def church(n):
    return lambda f: lambda x: reduce(lambda acc, _: f(acc), range(n), x)


add_church = lambda m, n: lambda f: lambda x: m(f)(n(f)(x))
mul_church = lambda m, n: lambda f: m(n(f))
to_int = lambda n: n(lambda k: k + 1)(0)

# the Y (well, Z) combinator
Z = lambda f: (lambda x: f(lambda v: x(x)(v)))(lambda x: f(lambda v: x(x)(v)))
factorial = Z(lambda self: lambda n: 1 if n == 0 else n * self(n - 1))


def natural(a, b):
    """Compare like people do: 'file10' after 'file9'."""
    def key(s):
        return [int("".join(g)) if d else "".join(g) for d, g in itertools.groupby(s, str.isdigit)]
    ka, kb = key(a), key(b)
    return (ka > kb) - (ka < kb)


def by_concat(a, b):
    return -1 if a + b > b + a else 1 if a + b < b + a else 0


@total_ordering
class Version:
    def __init__(self, text):
        self.parts = tuple(map(int, text.split(".")))

    def _is_valid_operand(self, other):
        return hasattr(other, "parts")

    def __eq__(self, other):
        if not self._is_valid_operand(other):
            return NotImplemented
        return self.parts == other.parts

    def __lt__(self, other):
        if not self._is_valid_operand(other):
            return NotImplemented
        return self.parts < other.parts

    def __hash__(self):
        return hash(self.parts)

    def __repr__(self):
        return "v" + ".".join(map(str, self.parts))


def primes():
    def sieve(ns):
        p = next(ns)
        yield p
        yield from sieve(n for n in ns if n % p)
    return sieve(itertools.count(2))


def test_combinators():
    inc, double = (lambda x: x + 1), (lambda x: x * 2)
    assert compose(inc, double)(5) == 11
    assert compose(str, abs, int)("-7") == "7"
    assert flip(operator.sub)(1, 10) == 9
    assert const(3)(1, 2) == identity(3)
    assert curry(lambda a, b, c: a + b * c, 3)(1)(2)(3) == 7
    assert curry(lambda a, b, c: a + b * c, 3)(1, 2)(3) == 7
    assert list(unfold(lambda n: (n % 10, n // 10) if n else None, 2024)) == [4, 2, 0, 2]
    assert list(scan(operator.add, range(5), 0)) == [0, 0, 1, 3, 6, 10]
    assert to_int(add_church(church(3), church(4))) == 7
    assert to_int(mul_church(church(3), church(4))) == 12
    assert factorial(10) == 3628800


def test_comparisons():
    names = ["f10", "f9", "f1", "a2"]
    assert sorted(names, key=cmp_to_key(natural)) == ["a2", "f1", "f9", "f10"]
    assert "".join(sorted("3 30 34 5 9".split(), key=cmp_to_key(by_concat))) == "9534330"
    a, b = Version("1.10"), Version("1.9.3")
    assert a > b and b <= a and a >= a and a != b and not a < b
    assert max(a, b, Version("0.1")) is a
    assert repr(sorted([a, b])) == "[v1.9.3, v1.10]"
    assert len({Version("1.0"), Version("1.0")}) == 1
    try:
        a < 3
    except TypeError as e:
        assert "not supported" in str(e)


def test_laziness():
    assert list(itertools.islice(primes(), 10)) == [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]
    squares = (n * n for n in itertools.count())
    odd = (n for n in squares if n & 1)
    small = itertools.takewhile(lambda n: n < 200, odd)
    assert sum(small) == 1 + 9 + 25 + 49 + 81 + 121 + 169
    assert reduce(operator.or_, [{1}, {2}, {1, 3}], set()) == {1, 2, 3}
    assert dict(map(lambda kv: kv[::-1], {"a": 1}.items())) == {1: "a"}
    assert any(map(str.isdigit, "ab1")) and all(map(callable, (len, print)))
    assert list(filter(None, [0, 1, "", "x", None])) == [1, "x"]


test_combinators()
test_comparisons()
test_laziness()
print("functional ok")
