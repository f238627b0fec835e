from __future__ import annotations
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial, reduce, singledispatch, wraps
from itertools import chain, groupby, islice, tee, zip_longest, accumulate
from operator import add, attrgetter, contains, getitem, itemgetter, methodcaller, not_, or_
from typing import Any, TypeVar
from inspect import signature

A = TypeVar("A")


def pipe(x: Any, *fs: Callable) -> Any:
    return reduce(lambda acc, f: f(acc), fs, x)


def curry(f):
    n = len([p for p in signature(f).parameters.values() if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD])

    @wraps(f)
    def g(*a, **k):
        return f(*a, **k) if len(a) >= n else partial(g, *a, **k)
    return g


class Seq(Iterable[A]):
    def __init__(self, *xs: A):
        self._xs = xs

    @classmethod
    def of(cls, it):
        return cls(*it)

    def __iter__(self) -> Iterator[A]:
        return iter(self._xs)

    def map(self, f): return Seq.of(map(f, self))
    def filter(self, p): return Seq.of(filter(p, self))
    def flat_map(self, f): return Seq.of(chain.from_iterable(map(f, self)))
    def group_by(self, k): return {g: list(v) for g, v in groupby(sorted(self, key=k), key=k)}
    def fold(self, f, init): return reduce(f, self, init)
    def chunk(self, n):
        it = iter(self)
        while c := tuple(islice(it, n)):
            yield c
    def __eq__(self, o): return list(self) == list(o)
    def __repr__(self): return f"Seq{self._xs!r}"


@curry
def get_in(path, d, default=None):
    try:
        return reduce(getitem, path, d)
    except (KeyError, IndexError, TypeError):
        return default


def assoc_in(d: Mapping, path, value):
    k, *rest = path
    return {**d, k: assoc_in(d.get(k, {}), rest, value) if rest else value}


def flatten_keys(d, prefix=()):
    for k, v in d.items():
        if isinstance(v, Mapping):
            yield from flatten_keys(v, (*prefix, k))
        else:
            yield ".".join((*prefix, k)), v


def interleave(*its):
    skip = object()
    return [x for t in zip_longest(*its, fillvalue=skip) for x in t if x is not skip]


def juxt(*fs):
    return lambda *a, **k: tuple(f(*a, **k) for f in fs)


@singledispatch
def size(x):
    return 1


@size.register(list | tuple) if False else size.register(list)
def _(x: list):
    return sum(map(size, x))


assert pipe("3,1,2", methodcaller("split", ","), partial(map, int), sorted) == [1, 2, 3]
add3 = curry(lambda a, b, c: a + b + c)
assert add3(1)(2)(3) == add3(1, 2)(3) == add3(1)(2, 3) == 6
cfg = {"db": {"hosts": ["a", "b"], "port": 1}}
host = get_in(["db", "hosts", 1])
assert host(cfg) == "b" and get_in(["x"], cfg, default=0) == 0 and get_in(["db", "port", "z"])(cfg) is None
new = assoc_in(cfg, ["db", "auth", "user"], "me")
assert dict(flatten_keys(new)) == {"db.hosts": ["a", "b"], "db.port": 1, "db.auth.user": "me"} and "auth" not in cfg["db"]
s = Seq(1, 2, 3, 4, 5)
assert s.map(lambda x: x * 2).filter(lambda x: x > 4).flat_map(lambda x: [x] * 2) == Seq(6, 6, 8, 8, 10, 10)
assert list(s.chunk(2)) == [(1, 2), (3, 4), (5,)] and s.group_by(lambda x: x % 2) == {0: [2, 4], 1: [1, 3, 5]} and s.fold(add, 0) == 15
assert interleave("abc", [1], "xy") == ["a", 1, "x", "b", "y", "c"] and juxt(min, max, len)([3, 1]) == (1, 3, 2)
assert size([1, [2, 3, []], 4]) == 4 and list(accumulate([1, 2, 3], lambda a, b: a * b, initial=10)) == [10, 10, 20, 60]
print(s, size.registry.keys() >= {object, list})
