"""compose, pipe, curry, memoize, transducers, lenses, church numerals, trampolines."""
from functools import reduce, partial, lru_cache, wraps
from inspect import signature
from itertools import chain, islice, tee, starmap, filterfalse
from operator import add, mul, itemgetter, attrgetter, methodcaller
import sys

identity = lambda x: x
compose = lambda *fs: reduce(lambda f, g: lambda *a, **k: f(g(*a, **k)), fs, identity) if not fs else \
    reduce(lambda f, g: lambda *a, **k: f(g(*a, **k)), fs)
pipe = lambda x, *fs: reduce(lambda acc, f: f(acc), fs, x)
flip = lambda f: lambda a, b: f(b, a)
const = lambda x: lambda *_: x


def curry(f):
    n = len(signature(f).parameters)

    @wraps(f)
    def curried(*args):
        if len(args) >= n:
            return f(*args)
        return lambda *more: curried(*args, *more)
    return curried


# transducers
def mapping(f):
    return lambda step: lambda acc, x: step(acc, f(x))


def filtering(p):
    return lambda step: lambda acc, x: step(acc, x) if p(x) else acc


def transduce(xform, step, init, xs):
    return reduce(xform(step), xs, init)


# lenses
class Lens:
    def __init__(self, get, set_):
        self.get, self.set = get, set_

    @classmethod
    def key(cls, k):
        return cls(itemgetter(k), lambda d, v: {**d, k: v})

    def __rshift__(self, other):
        return Lens(lambda d: other.get(self.get(d)), lambda d, v: self.set(d, other.set(self.get(d), v)))

    def over(self, d, f):
        return self.set(d, f(self.get(d)))


# church numerals
zero = lambda f: lambda x: x
succ = lambda n: lambda f: lambda x: f(n(f)(x))
plus = lambda m: lambda n: lambda f: lambda x: m(f)(n(f)(x))
times = lambda m: lambda n: lambda f: m(n(f))
to_int = lambda n: n(lambda k: k + 1)(0)


# trampoline
def trampoline(f, *args):
    result = f(*args)
    while callable(result):
        result = result()
    return result


def even(n): return True if n == 0 else lambda: odd(n - 1)


def odd(n): return False if n == 0 else lambda: even(n - 1)


def partition(pred, it):
    a, b = tee(it)
    return list(filter(pred, a)), list(filterfalse(pred, b))


@curry
def volume(a, b, c):
    """Of a box."""
    return a * b * c


@lru_cache(maxsize=128, typed=True)
def ways(n, coins=(50, 20, 10, 5, 2, 1)):
    if n == 0:
        return 1
    if n < 0 or not coins:
        return 0
    return ways(n, coins[1:]) + ways(n - coins[0], coins)


inc, double = partial(add, 1), partial(mul, 2)
assert compose(inc, double)(5) == 11 and compose(double, inc)(5) == 12 and compose()(7) == 7
assert pipe("  Hello ", str.strip, str.lower, methodcaller("replace", "l", "L"), len) == 5
assert volume(2)(3)(4) == volume(2, 3)(4) == volume(2)(3, 4) == 24 and volume.__doc__ == "Of a box."
xform = compose(filtering(lambda x: x % 2), mapping(lambda x: x * x))
assert transduce(xform, add, 0, range(6)) == 35
assert transduce(xform, lambda acc, x: [*acc, x], [], range(6)) == [1, 9, 25]
user = {"name": "Ann", "address": {"city": "Oslo", "zip": 1}}
city = Lens.key("address") >> Lens.key("city")
moved = city.over(user, str.upper)
assert moved["address"] == {"city": "OSLO", "zip": 1} and city.get(user) == "Oslo"
three = succ(succ(succ(zero)))
assert to_int(times(three)(plus(three)(three))) == 18
assert trampoline(even, 10000) and trampoline(odd, 9999)
assert partition(str.isupper, "aBcD") == (["B", "D"], ["a", "c"])
assert ways(100) == 4562 and ways.cache_info().currsize == 128
assert flip(pow)(2, 3) == 9 and const(4)(1, 2, 3) == 4
assert list(starmap(pow, [(2, 5), (3, 2)])) == [32, 9]
assert attrgetter("real", "imag")(3 + 4j) == (3, 4) and attrgetter("__class__.__name__")(3) == "int"
flat = list(islice(chain.from_iterable(map(range, range(4))), 5))
print(flat, inc.func.__name__, inc.args, inc.keywords, double)
print(sys.getrecursionlimit() >= 500)
