"""Half-open intervals, sets of them, and sweeping over them."""
from bisect import bisect_right
from functools import reduce, total_ordering
from itertools import chain
from operator import and_, or_


@total_ordering
class Interval:
    def __init__(self, low, high):
        if high < low:
            raise ValueError("Interval(%r, %r) is upside down" % (low, high))
        self.low, self.high = low, high

    def __setattr__(self, name, value):
        if name in self.__dict__:
            raise AttributeError(f"{name} is fixed")
        super().__setattr__(name, value)

    def __eq__(self, other):
        return isinstance(other, Interval) and vars(self) == vars(other)

    def __lt__(self, other):
        return (self.low, self.high) < (other.low, other.high)

    def __hash__(self):
        return hash((Interval, self.low, self.high))

    def __contains__(self, x):
        return self.low <= x < self.high

    def __len__(self):
        return self.high - self.low

    def __bool__(self):
        return self.low != self.high

    def __repr__(self):
        return f"[{self.low}..{self.high})"

    def meets(self, other):
        return self.low <= other.high and other.low <= self.high

    def __and__(self, other):
        low = max(self.low, other.low)
        return Interval(low, max(low, min(self.high, other.high)))


class IntervalSet:
    def __init__(self, *intervals):
        self._parts = []
        for interval in sorted(filter(None, intervals)):
            if self._parts and self._parts[-1].meets(interval):
                last = self._parts.pop()
                interval = Interval(last.low, max(last.high, interval.high))
            self._parts.append(interval)

    def __iter__(self):
        return iter(self._parts)

    def __len__(self):
        return sum(map(len, self))

    def __contains__(self, x):
        i = bisect_right([p.low for p in self], x) - 1
        return i >= 0 and x in self._parts[i]

    def __or__(self, other):
        return IntervalSet(*chain(self, other))

    def __and__(self, other):
        return IntervalSet(*(a & b for a in self for b in other))

    def __invert__(self):
        edges = [0, *chain.from_iterable((p.low, p.high) for p in self), 24]
        return IntervalSet(*(Interval(a, b) for a, b in zip(edges[::2], edges[1::2])))

    def __sub__(self, other):
        return self & ~other

    def __eq__(self, other):
        return list(self) == list(other)

    def __str__(self):
        return " ".join(f"{p.low:02}-{p.high:02}" for p in self) or "never"


def hours(text):
    return IntervalSet(*(Interval(*map(int, part.split("-"))) for part in text.split()))


def rooms_needed(meetings):
    events = sorted([(m.low, 1) for m in meetings] + [(m.high, -1) for m in meetings])
    busy = most = 0
    for _, change in events:
        busy += change
        most = max(most, busy)
    return most


def most_meetings(meetings):
    end, chosen = float("-inf"), []
    for m in sorted(meetings, key=lambda m: m.high):
        if m.low >= end:
            chosen.append(m)
            end = m.high
    return chosen


calendars = {"ann": hours("9-11 10-12 14-15"), "bob": hours("8-9 12-13"), "cy": hours("11-14 16-18")}
assert str(calendars["ann"]) == "09-12 14-15"
busy = reduce(or_, calendars.values())
free = reduce(and_, (~c for c in calendars.values()))
assert str(busy) == "08-15 16-18" and free == ~busy and len(free) + len(busy) == 24
assert str(free & hours("7-19")) == "07-08 15-16 18-19"
assert 12 in busy and 15 not in busy and 18 not in busy
assert str(busy - hours("0-24")) == "never" and ~~busy == busy
meetings = [Interval(*p) for p in ((1, 4), (3, 5), (0, 6), (5, 7), (3, 9), (6, 10), (8, 11))]
assert rooms_needed(meetings) == 4
assert repr(most_meetings(meetings)) == "[[1..4), [5..7), [8..11)]"
assert max(meetings) == Interval(8, 11) and len({Interval(1, 2), Interval(1, 2)}) == 1
assert Interval(1, 3) >= Interval(1, 2) and not Interval(3, 3)
try:
    meetings[0].low = 7
except AttributeError as e:
    print(e, "|", free)
try:
    Interval(2, 1)
except ValueError as e:
    assert "upside down" in str(e)
