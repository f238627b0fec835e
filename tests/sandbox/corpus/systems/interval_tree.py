from __future__ import annotations
from dataclasses import dataclass
from functools import reduce
from typing import Iterator, Optional
import random


@dataclass(frozen=True, order=True)
class Interval:
    """Half open: [lo, hi)."""
    lo: int
    hi: int
    label: str = ''

    def __post_init__(self):
        if self.lo >= self.hi:
            raise ValueError(f'empty interval {self.lo}..{self.hi}')

    def __contains__(self, x) -> bool:
        return self.lo <= x < self.hi

    def __and__(self, other: Interval) -> Optional[Interval]:
        lo, hi = max(self.lo, other.lo), min(self.hi, other.hi)
        return Interval(lo, hi) if lo < hi else None

    def __sub__(self, other: Interval) -> list[Interval]:
        if not self & other:
            return [self]
        parts = (self.lo, other.lo), (other.hi, self.hi)
        return [Interval(a, b, self.label) for a, b in parts if a < b]

    def touches(self, other: Interval) -> bool:
        return self.lo <= other.hi and other.lo <= self.hi

    def __len__(self) -> int:
        return self.hi - self.lo

    def __str__(self) -> str:
        return f'[{self.lo},{self.hi})' + self.label


class _Node:
    __slots__ = ('item', 'priority', 'left', 'right', 'top')

    def __init__(self, item, priority):
        self.item, self.priority = item, priority
        self.left = self.right = None
        self.top = item.hi

    def update(self):
        self.top = max([self.item.hi] + [n.top for n in (self.left, self.right) if n])
        return self


class IntervalTree:
    """A treap ordered by start, each node knowing the greatest end below it."""

    def __init__(self, items=(), seed=0):
        self._root: _Node | None = None
        self._size = 0
        self._rng = random.Random(seed)
        self.visited = 0
        for i in items:
            self.add(i)

    def add(self, item: Interval) -> None:
        left, right = self._split(self._root, item)
        self._root = self._merge(self._merge(left, _Node(item, self._rng.random())), right)
        self._size += 1

    def discard(self, item: Interval) -> bool:
        def remove(node):
            if node is None:
                raise LookupError
            if node.item == item:
                return self._merge(node.left, node.right)
            if item < node.item:
                node.left = remove(node.left)
            else:
                node.right = remove(node.right)
            return node.update()
        try:
            self._root = remove(self._root)
        except LookupError:
            return False
        self._size -= 1
        return True

    def _split(self, node, item):
        if node is None:
            return None, None
        if item < node.item:
            low, node.left = self._split(node.left, item)
            return low, node.update()
        node.right, high = self._split(node.right, item)
        return node.update(), high

    def _merge(self, a, b):
        if a is None or b is None:
            return a or b
        if a.priority > b.priority:
            a.right = self._merge(a.right, b)
            return a.update()
        b.left = self._merge(a, b.left)
        return b.update()

    def overlapping(self, lo, hi) -> Iterator[Interval]:
        def walk(node):
            if node is None or node.top <= lo:
                return
            self.visited += 1
            yield from walk(node.left)
            if node.item.lo < hi:
                if node.item.hi > lo:
                    yield node.item
                yield from walk(node.right)
        return walk(self._root)

    def at(self, x):
        return list(self.overlapping(x, x + 1))

    def __iter__(self):
        stack, node = [], self._root
        while stack or node:
            while node:
                stack.append(node)
                node = node.left
            node = stack.pop()
            yield node.item
            node = node.right

    def __len__(self):
        return self._size

    def __bool__(self):
        return self._root is not None


def union(intervals):
    def join(done, nxt):
        if done and done[-1].touches(nxt):
            done[-1] = Interval(done[-1].lo, max(done[-1].hi, nxt.hi))
        else:
            done.append(nxt)
        return done
    return reduce(join, sorted(intervals), [])


def free_slots(busy, day=Interval(9, 17)):
    free = [day]
    for b in busy:
        free = [rest for f in free for rest in f - b]
    return free


def rooms_needed(meetings):
    marks = sorted([(m.lo, 1) for m in meetings] + [(m.hi, -1) for m in meetings])
    best = now = 0
    for _, change in marks:
        now += change
        best = max(best, now)
    return best


if __name__ == '__main__':
    meetings = [Interval(9, 10, 'standup'), Interval(13, 15, 'review'), Interval(14, 16, 'call'), Interval(10, 11, 'coffee')]
    tree = IntervalTree(meetings)
    assert [m.label for m in tree] == ['standup', 'coffee', 'review', 'call']
    assert [m.label for m in tree.at(14)] == ['review', 'call'] and tree.at(12) == []
    assert 9 in meetings[0] and 10 not in meetings[0] and len(meetings[1]) == 2
    assert [*map(str, union(meetings))] == ['[9,11)', '[13,16)']
    assert list(map(str, free_slots(meetings))) == ['[11,13)', '[16,17)']
    assert rooms_needed(meetings) == 2
    assert tree.discard(meetings[1]) and not tree.discard(meetings[1]) and len(tree) == 3
    assert meetings[0] & meetings[2] is None and meetings[1] & meetings[2] == Interval(14, 15)
    try:
        Interval(3, 3)
    except ValueError as e:
        assert str(e) == 'empty interval 3..3'

    rng = random.Random(99)
    items = [Interval(lo, lo + rng.randrange(1, 30), str(n)) for n, lo in enumerate(rng.choices(range(2000), k=300))]
    big = IntervalTree(items)
    for _ in range(40):
        lo = rng.randrange(2000)
        big.visited = 0
        assert list(big.overlapping(lo, lo + 10)) == sorted(i for i in items if i.lo < lo + 10 and i.hi > lo)
        assert big.visited < 150
    for i in items[::2]:
        assert big.discard(i)
    assert list(big) == sorted(items[1::2]) and big and not IntervalTree()
