from typing import NamedTuple, Optional, Iterator
from itertools import pairwise


class Interval(NamedTuple):
    """Half open: [start, stop)"""
    start: float
    stop: float

    @property
    def length(self) -> float:
        return max(0, self.stop - self.start)

    def __bool__(self) -> bool:
        return self.start < self.stop

    def __and__(self, other: "Interval") -> "Interval":
        return Interval(max(self.start, other.start), min(self.stop, other.stop))

    def __contains__(self, x) -> bool:
        if isinstance(x, Interval):
            return self.start <= x.start and x.stop <= self.stop
        return self.start <= x < self.stop

    def __str__(self) -> str:
        return f"[{self.start}, {self.stop})"


class IntervalSet:
    def __init__(self, intervals=()):
        self._items: list[Interval] = []
        for i in sorted(Interval(*x) for x in intervals):
            if not i:
                continue
            if self._items and i.start <= self._items[-1].stop:
                last = self._items.pop()
                i = last._replace(stop=max(last.stop, i.stop))
            self._items.append(i)

    def __iter__(self) -> Iterator[Interval]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __eq__(self, other) -> bool:
        return list(self) == list(other)

    def __or__(self, other):
        return IntervalSet([*self, *other])

    def __and__(self, other):
        return IntervalSet(a & b for a in self for b in other if a & b)

    def __invert__(self):
        inf = float("inf")
        edges = [-inf, *(e for i in self for e in i), inf]
        return IntervalSet(zip(edges[::2], edges[1::2]))

    def __sub__(self, other):
        return self & ~other

    def __xor__(self, other):
        return (self - other) | (other - self)

    def __contains__(self, x):
        return any(x in i for i in self)

    @property
    def span(self) -> Optional[Interval]:
        return Interval(self._items[0].start, self._items[-1].stop) if self._items else None

    def gaps(self):
        return IntervalSet((a.stop, b.start) for a, b in pairwise(self))

    def __repr__(self):
        return "{" + ", ".join(map(str, self)) + "}"


a = IntervalSet([(1, 3), (5, 8), (2, 4), (9, 9)])
b = IntervalSet([(3.5, 6), (7, 10)])
print(a, b, a | b, a & b, a - b, a ^ b, ~a, sep="\n")
assert a == [(1, 4), (5, 8)]
assert a | b == [(1, 10)]
assert a & b == [(3.5, 4), (5, 6), (7, 8)]
assert a - b == [(1, 3.5), (6, 7)]
assert ~~a == a
assert a ^ b == (a | b) - (a & b)
assert 3 in a and 4 not in a and Interval(5, 6) in a
assert a.span == (1, 8) and a.gaps() == [(4, 5)]
assert IntervalSet().span is None and not IntervalSet()
assert sum(i.length for i in a) == 6
x, y = a._items[0]
assert (x, y) == (1, 4) and a._items[0]._asdict() == {"start": 1, "stop": 4}
