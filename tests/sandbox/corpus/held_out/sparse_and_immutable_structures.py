"""__slots__, immutability, custom mappings and sequences, __class_getitem__, __missing__."""
from __future__ import annotations
from collections.abc import Mapping, MutableSequence, MutableSet, Sequence, Hashable
from functools import cached_property, total_ordering
from typing import Any, Iterator
import operator


class Immutable:
    __slots__ = ()

    def __setattr__(self, name, value):
        raise AttributeError(f"{type(self).__name__} is immutable: cannot set {name!r}")

    def __delattr__(self, name):
        raise AttributeError(f"{type(self).__name__} is immutable: cannot delete {name!r}")


class Color(Immutable):
    __slots__ = ("r", "g", "b", "__weakref__")

    def __init__(self, r, g, b):
        set_ = object.__setattr__
        for name, v in zip(("r", "g", "b"), (r, g, b)):
            set_(self, name, max(0, min(255, v)))

    @classmethod
    def __class_getitem__(cls, code):
        return cls(*bytes.fromhex(code.lstrip("#")))

    def __eq__(self, o): return isinstance(o, Color) and tuple(self) == tuple(o)
    def __hash__(self): return hash(tuple(self))
    def __iter__(self): return (getattr(self, n) for n in self.__slots__[:3])
    def __format__(self, spec): return "#%02x%02x%02x" % tuple(self) if spec in ("", "hex") else repr(self)
    def __repr__(self): return f"Color{tuple(self)}"
    def __add__(self, o): return Color(*map(operator.add, self, o))


class FrozenDict(Mapping, Hashable):
    def __init__(self, *a, **k):
        self._d = dict(*a, **k)

    def __getitem__(self, k): return self._d[k]
    def __iter__(self): return iter(self._d)
    def __len__(self): return len(self._d)
    def __or__(self, o): return FrozenDict({**self, **o})

    @cached_property
    def _hash(self): return hash(frozenset(self.items()))

    def __hash__(self): return self._hash
    def __repr__(self): return f"FrozenDict({self._d})"


class SparseVector(MutableSequence):
    def __init__(self, size, fill=0):
        self.size, self.fill, self.data = size, fill, {}

    def _index(self, i):
        i = operator.index(i)
        if not -self.size <= i < self.size:
            raise IndexError("sparse index out of range")
        return i % self.size

    def __len__(self): return self.size

    def __getitem__(self, i):
        if isinstance(i, slice):
            return [self[j] for j in range(*i.indices(len(self)))]
        return self.data.get(self._index(i), self.fill)

    def __setitem__(self, i, v):
        i = self._index(i)
        if v == self.fill:
            self.data.pop(i, None)
        else:
            self.data[i] = v

    def __delitem__(self, i):
        i = self._index(i)
        self.data = {k - (k > i): v for k, v in self.data.items() if k != i}
        self.size -= 1

    def insert(self, i, v):
        self.data = {k + (k >= i): x for k, x in self.data.items()}
        self.size += 1
        self[i] = v


class CaselessSet(MutableSet):
    def __init__(self, items=()):
        self._d: dict[str, str] = {}
        for i in items:
            self.add(i)

    def __contains__(self, x): return x.lower() in self._d
    def __iter__(self) -> Iterator[str]: return iter(self._d.values())
    def __len__(self): return len(self._d)
    def add(self, x): self._d.setdefault(x.lower(), x)
    def discard(self, x): self._d.pop(x.lower(), None)


red = Color["#ff0000"]
assert f"{red + Color(0, 16, 300)}" == "#ff10ff" and red in {Color(255, 0, 0)}
for f in (lambda: setattr(red, "r", 1), lambda: delattr(red, "g"), lambda: setattr(red, "x", 1)):
    try:
        f()
    except AttributeError as e:
        print(e)
assert not hasattr(red, "__dict__")
fd = FrozenDict(a=1) | {"b": 2}
assert fd == {"a": 1, "b": 2} and {fd: "x"}[FrozenDict(b=2, a=1)] == "x" and "a" in fd
try:
    fd["c"] = 3
except TypeError as e:
    print(e)
v = SparseVector(1000)
v[10], v[-1] = 5, 7
v.insert(0, 1)
del v[1]
assert (v[0], v[10], v[999], len(v.data)) == (1, 5, 7, 3) and len(v) == 1000
v.append(3); v.extend([4, 0]); v.reverse()
assert v[:3] == [0, 4, 3] and v.count(0) == 998 and v.index(4) == 1 and v.pop() == 1
s = CaselessSet(["Ann", "BOB", "ann"])
s |= {"Cid"}; s -= {"BoB"}
print(sorted(s), len(s), s & {"CID"} == CaselessSet(["cid"]), "ANN" in s, s.isdisjoint(["x"]))
print(fd, isinstance(v, Sequence), v[5:7])
