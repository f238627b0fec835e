from abc import ABCMeta, abstractmethod, ABC
from collections.abc import Collection, ItemsView, MutableMapping, KeysView, Sequence
from functools import total_ordering
import bisect


class SortedDict(MutableMapping):
    def __init__(self, data=(), **kw):
        self._keys, self._map = [], {}
        self.update(data, **kw)

    def __getitem__(self, k):
        return self._map[k]

    def __setitem__(self, k, v):
        if k not in self._map:
            bisect.insort(self._keys, k)
        self._map[k] = v

    def __delitem__(self, k):
        del self._map[k]
        self._keys.pop(bisect.bisect_left(self._keys, k))

    def __iter__(self):
        return iter(self._keys)

    def __len__(self):
        return len(self._keys)

    def __repr__(self):
        return f"{self.__class__.__name__}({dict(self.items())})"

    def irange(self, lo, hi):
        return self._keys[bisect.bisect_left(self._keys, lo):bisect.bisect_right(self._keys, hi)]


class Range(Sequence):
    def __init__(self, a, b, step):
        self.a, self.n, self.step = a, max(0, int((b - a) / step + 0.5)), step

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(self.n))]
        if i < 0:
            i += self.n
        if not 0 <= i < self.n:
            raise IndexError(i)
        return self.a + i * self.step


class Serializable(metaclass=ABCMeta):
    @classmethod
    def __subclasshook__(cls, C):
        if cls is Serializable:
            return any("dump" in B.__dict__ for B in C.__mro__)
        return NotImplemented

    @abstractmethod
    def dump(self): ...


class Duck:
    def dump(self):
        return "quack"


class Reg(ABC):
    @property
    @abstractmethod
    def name(self): ...

    @classmethod
    @abstractmethod
    def create(cls): ...


@Reg.register
class Virtual:
    pass


class BitFlags(int):
    def __contains__(self, bit):
        return bool(self & (1 << bit))

    def __getitem__(self, bit):
        return int(bit in self)

    def __or__(self, o):
        return BitFlags(int.__or__(self, o))


class DefaultList(list):
    def __setitem__(self, i, v):
        while len(self) <= i:
            self.append(None)
        super().__setitem__(i, v)


class Str(str):
    def __sub__(self, o):
        return Str(self.replace(o, ""))

    def __getattr__(self, n):
        if n.startswith("is_"):
            return self == n[3:]
        raise AttributeError(n)


d = SortedDict({3: "c", 1: "a"}, )
d[2] = "b"
assert list(d) == [1, 2, 3] and repr(d) == "SortedDict({1: 'a', 2: 'b', 3: 'c'})" and d.irange(2, 9) == [2, 3]
assert d.pop(1) == "a" and d.setdefault(9, "z") == "z" and 9 in d and d == {2: "b", 3: "c", 9: "z"} and list(d.values()) == ["b", "c", "z"]
assert d.popitem() == (2, "b") and isinstance(d.items(), ItemsView) and d.keys() & {3} == {3} and d.get(77) is None
d.clear()
assert not d
r = Range(0, 1, 0.25)
assert list(r) == [0, 0.25, 0.5, 0.75] and r[-1] == 0.75 and 0.5 in r and r.index(0.5) == 2 and r[::2] == [0, 0.5] and list(reversed(r))[0] == 0.75
assert isinstance(Duck(), Serializable) and not isinstance(3, Serializable) and issubclass(Virtual, Reg) and isinstance(r, Collection)
for cls in (Reg, Serializable):
    try:
        cls()
    except TypeError as e:
        print(e)
    else:
        raise AssertionError
f = BitFlags(5)
assert 2 in f and f[1] == 0 and type(f | 2) is BitFlags and f | 2 == 7
l = DefaultList()
l[3] = "x"
assert l == [None, None, None, "x"]
s = Str("banana")
assert s - "an" == "ba" and s.is_banana and not s.is_apple and (s - "a").upper() == "BNN"
assert sorted(Reg.__abstractmethods__) == ["create", "name"]
