"""Containers written on top of collections.abc, and a few abstract classes."""
from abc import ABCMeta, abstractmethod
from bisect import bisect_left, insort
from collections.abc import (Hashable, Iterable, Iterator, Mapping, MutableMapping, MutableSequence,
                             MutableSet, Sequence, Set, Sized, Callable)


class ListBasedSet(Set):
    ''' Alternate set implementation favoring space over speed
        and not requiring the set elements to be hashable. '''

    def __init__(self, iterable):
        self.elements = lst = []
        for value in iterable:
            if value not in lst:
                lst.append(value)

    def __iter__(self):
        return iter(self.elements)

    def __contains__(self, value):
        return value in self.elements

    def __len__(self):
        return len(self.elements)


class OrderedSet(MutableSet):
    def __init__(self, iterable=()):
        self._d = dict.fromkeys(iterable)

    def __contains__(self, x): return x in self._d
    def __iter__(self): return iter(self._d)
    def __len__(self): return len(self._d)
    def add(self, x): self._d[x] = None
    def discard(self, x): self._d.pop(x, None)

    def __repr__(self):
        return '%s(%r)' % (self.__class__.__name__, list(self))


class SortedList(Sequence):
    def __init__(self, items=()):
        self._items = sorted(items)

    def __getitem__(self, i):
        return self._items[i]

    def __len__(self):
        return len(self._items)

    def __contains__(self, x):
        i = bisect_left(self._items, x)
        return i < len(self) and self._items[i] == x

    def add(self, x):
        insort(self._items, x)


class Bits(MutableSequence):
    """A list of booleans packed into an integer."""

    def __init__(self, bits=()):
        self._n = 0
        self._len = 0
        self.extend(bits)

    def __len__(self):
        return self._len

    def _index(self, i):
        if i < 0:
            i += self._len
        if not 0 <= i < self._len:
            raise IndexError(i)
        return i

    def __getitem__(self, i):
        return bool(self._n >> self._index(i) & 1)

    def __setitem__(self, i, value):
        mask = 1 << self._index(i)
        self._n = self._n | mask if value else self._n & ~mask

    def __delitem__(self, i):
        i = self._index(i)
        low = self._n & ((1 << i) - 1)
        self._n = (self._n >> (i + 1) << i) | low
        self._len -= 1

    def insert(self, i, value):
        low = self._n & ((1 << i) - 1)
        self._n = (self._n >> i << (i + 1)) | (bool(value) << i) | low
        self._len += 1


class TransformDict(MutableMapping):
    def __init__(self, transform, /, **kw):
        self._transform = transform
        self._data = {}
        self.update(kw)

    def __getitem__(self, k): return self._data[self._transform(k)]
    def __setitem__(self, k, v): self._data[self._transform(k)] = v
    def __delitem__(self, k): del self._data[self._transform(k)]
    def __iter__(self): return iter(self._data)
    def __len__(self): return len(self._data)


class Countdown(Iterator):
    def __init__(self, n):
        self.n = n

    def __next__(self):
        if self.n <= 0:
            raise StopIteration
        self.n -= 1
        return self.n + 1


class Instrument(metaclass=ABCMeta):
    @abstractmethod
    def play(self): pass

    @property
    @abstractmethod
    def family(self): pass

    @classmethod
    def __subclasshook__(cls, C):
        if cls is Instrument and any('play' in B.__dict__ for B in C.__mro__):
            return True
        return NotImplemented


class Guitar(Instrument):
    family = 'strings'

    def play(self):
        return 'twang'


class Kazoo:
    def play(self):
        return 'bzzz'


@Sequence.register
class Squares:
    def __getitem__(self, i): return i * i
    def __len__(self): return 10


def main():
    s1, s2 = ListBasedSet('abcdef'), ListBasedSet('defghi')
    assert list(s1 & s2) == ['d', 'e', 'f'] and s1 - s2 == {'a', 'b', 'c'}
    assert ListBasedSet([[1], [2]]) < ListBasedSet([[2], [1], [3]])
    assert s1.isdisjoint('xyz')
    o = OrderedSet('abracadabra')
    assert repr(o) == "OrderedSet(['a', 'b', 'r', 'c', 'd'])"
    o |= 'xa'
    o -= {'b', 'r'}
    o.remove('c')
    assert ''.join(o) == 'adx' and o.pop() == 'a'
    sl = SortedList([3, 1, 2])
    sl.add(2)
    assert list(sl) == [1, 2, 2, 3] and sl.count(2) == 2 and sl.index(3) == 3
    assert 2 in sl and 9 not in sl and list(reversed(sl))[0] == 3
    b = Bits([1, 0, 1, 1])
    b.append(False)
    del b[0]
    b.insert(1, True)
    b[-1] = 1
    assert list(b) == [False, True, True, True, True] and b.pop() and len(b) == 4
    b.reverse()
    assert [int(x) for x in b] == [1, 1, 1, 0]
    t = TransformDict(str.lower, Foo=1)
    t['BAR'] = 2
    assert t['FOO'] == 1 and 'bar' in t and dict(t) == {'foo': 1, 'bar': 2}
    assert t.setdefault('Baz', 5) == 5 and t.pop('BAZ') == 5 and t == {'foo': 1, 'bar': 2}
    assert list(Countdown(3)) == [3, 2, 1] and isinstance(Countdown(1), Iterable)
    assert Guitar().play() == 'twang' and issubclass(Kazoo, Instrument)
    for cls in (Instrument, MutableSequence):
        try:
            cls()
        except TypeError as e:
            assert 'abstract methods' in str(e)
        else:
            raise AssertionError(cls)
    assert sorted(Instrument.__abstractmethods__) == ['family', 'play']
    assert isinstance(Squares(), Sequence) and isinstance(Squares(), Sized)
    assert isinstance({}, Mapping) and isinstance(len, Callable) and not isinstance([], Hashable)


main()
