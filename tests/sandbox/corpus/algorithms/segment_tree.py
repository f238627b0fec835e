"""Segment trees over any associative operation, iterative and lazy."""
import operator
import random
from functools import reduce
from math import gcd, inf


class SegmentTree:
    def __init__(self, data, combine=operator.add, neutral=0):
        data = list(data)
        self.n = len(data)
        self.combine = combine
        self.neutral = neutral
        self.tree = [neutral] * self.n + data
        for i in range(self.n - 1, 0, -1):
            self.tree[i] = combine(self.tree[2 * i], self.tree[2 * i + 1])

    def __len__(self):
        return self.n

    def __getitem__(self, key):
        if isinstance(key, slice):
            start, stop, step = key.indices(self.n)
            if step != 1:
                raise ValueError("steps are not supported")
            return self._query(start, stop)
        if key < 0:
            key += self.n
        if not 0 <= key < self.n:
            raise IndexError(key)
        return self.tree[key + self.n]

    def __setitem__(self, i, value):
        i += self.n
        self.tree[i] = value
        while (i := i // 2) >= 1:
            self.tree[i] = self.combine(self.tree[2 * i], self.tree[2 * i + 1])

    def _query(self, lo, hi):
        left = right = self.neutral
        lo, hi = lo + self.n, hi + self.n
        while lo < hi:
            if lo & 1:
                left = self.combine(left, self.tree[lo])
                lo += 1
            if hi & 1:
                hi -= 1
                right = self.combine(self.tree[hi], right)
            lo >>= 1
            hi >>= 1
        return self.combine(left, right)


class RangeAdder:
    """Add to a range, ask for the maximum of a range, both lazily."""

    def __init__(self, n):
        self.n = n
        self.top = [0] * (4 * n)
        self.lazy = [0] * (4 * n)

    def add(self, lo, hi, by, node=1, left=0, right=None):
        right = self.n if right is None else right
        if hi <= left or right <= lo:
            return
        if lo <= left and right <= hi:
            self.top[node] += by
            self.lazy[node] += by
            return
        mid = (left + right) // 2
        self.add(lo, hi, by, 2 * node, left, mid)
        self.add(lo, hi, by, 2 * node + 1, mid, right)
        self.top[node] = max(self.top[2 * node], self.top[2 * node + 1]) + self.lazy[node]

    def max(self, lo, hi, node=1, left=0, right=None):
        right = self.n if right is None else right
        if hi <= left or right <= lo:
            return -inf
        if lo <= left and right <= hi:
            return self.top[node]
        mid = (left + right) // 2
        return self.lazy[node] + max(self.max(lo, hi, 2 * node, left, mid),
                                     self.max(lo, hi, 2 * node + 1, mid, right))


def test_against_slices():
    rng = random.Random(42)
    values = [rng.randint(1, 99) for _ in range(37)]
    for combine, neutral in ((operator.add, 0), (max, -inf), (min, inf), (gcd, 0)):
        tree = SegmentTree(values, combine, neutral)
        for _ in range(40):
            lo, hi = sorted(rng.sample(range(38), 2))
            assert tree[lo:hi] == reduce(combine, values[lo:hi], neutral)
    words = SegmentTree("segment", neutral="")
    words[0] = "S"
    assert words[:] == "Segment" and words[2:-1] == "gmen" and words[-1] == "t"


def test_lazy():
    rng = random.Random(7)
    plain, lazy = [0] * 20, RangeAdder(20)
    for _ in range(100):
        lo, hi = sorted(rng.sample(range(21), 2))
        by = rng.randint(-5, 9)
        plain[lo:hi] = [x + by for x in plain[lo:hi]]
        lazy.add(lo, hi, by)
        a, b = sorted(rng.sample(range(21), 2))
        assert lazy.max(a, b) == max(plain[a:b])


def test_bad_slices():
    tree = SegmentTree([1, 2, 3])
    for bad in (slice(None, None, 2), slice(None, None, -1)):
        try:
            tree[bad]
        except ValueError:
            continue
        assert False, bad
    try:
        tree[3]
    except IndexError as e:
        assert e.args[0] == 3


test_against_slices()
test_lazy()
test_bad_slices()
