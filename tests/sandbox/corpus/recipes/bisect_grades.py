"""Searching sorted lists: grades, nearest values, interval lookups, bisect with keys."""

from bisect import bisect, bisect_left, bisect_right, insort, insort_left, insort_right
from collections import namedtuple
from operator import attrgetter, itemgetter
import functools


def index(a, x):
    'Locate the leftmost value exactly equal to x'
    i = bisect_left(a, x)
    if i != len(a) and a[i] == x:
        return i
    raise ValueError(f'{x!r} not found')


def find_lt(a, x):
    if i := bisect_left(a, x):
        return a[i - 1]
    raise ValueError


def find_le(a, x):
    if i := bisect_right(a, x):
        return a[i - 1]
    raise ValueError


def find_gt(a, x):
    i = bisect_right(a, x)
    if i != len(a):
        return a[i]
    raise ValueError


def closest(a, x):
    i = bisect_left(a, x)
    return min(a[max(0, i - 1):i + 1], key=lambda v: abs(v - x))


def count_between(a, lo, hi):
    return bisect_right(a, hi) - bisect_left(a, lo)


def grade(score, breakpoints=(60, 70, 80, 90), grades='FDCBA'):
    return grades[bisect(breakpoints, score)]


def longest_increasing(seq):
    tails = []
    for x in seq:
        i = bisect_left(tails, x)
        tails[i:i + 1] = [x]
    return len(tails)


def first_true(lo, hi, pred):
    """Binary search over a predicate, with a range as the list."""
    return lo + bisect_left(range(lo, hi), True, key=pred)


Movie = namedtuple('Movie', ('name', 'released', 'director'))


class Catalog:
    def __init__(self, movies, /, *, key):
        self._key = attrgetter(key)
        self._movies = sorted(movies, key=self._key)

    def add(self, movie):
        insort(self._movies, movie, key=self._key)

    def since(self, value):
        return [m.name for m in self._movies[bisect_left(self._movies, value, key=self._key):]]

    def __iter__(self):
        return iter(self._movies)


class StepFunction:
    """Tax brackets: piecewise constant rates."""

    def __init__(self, *steps):
        self.limits, self.rates = map(list, zip(*sorted(steps)))

    def rate(self, x):
        return self.rates[bisect_right(self.limits, x) - 1]

    def integral(self, x):
        total = 0
        for lo, hi, r in zip(self.limits, self.limits[1:] + [float('inf')], self.rates):
            if x <= lo:
                break
            total += (min(x, hi) - lo) * r
        return total


@functools.total_ordering
class Reversed:
    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return self.value == other.value

    def __lt__(self, other):
        return other.value < self.value

    __hash__ = None


def test():
    a = [1, 3, 3, 5, 9]
    assert index(a, 3) == 1
    assert (find_lt(a, 3), find_le(a, 3), find_gt(a, 3)) == (1, 3, 5)
    for f, args in ((index, (a, 4)), (find_lt, (a, 1)), (find_gt, (a, 9)), (find_le, ([], 1))):
        try:
            f(*args)
        except ValueError:
            continue
        raise AssertionError(f.__name__)
    assert closest(a, 8) == 9 and closest(a, 6) == 5 and closest(a, -4) == 1
    assert count_between(a, 3, 5) == 3
    assert ''.join(grade(s) for s in [33, 99, 77, 70, 89, 90, 100]) == 'FACCBAA'
    assert longest_increasing([10, 9, 2, 5, 3, 7, 101, 18]) == 4
    assert first_true(0, 1000, lambda n: n * n >= 500) == 23

    insort_left(a, 3)
    insort_right(a, 10)
    assert a == [1, 3, 3, 3, 5, 9, 10]

    catalog = Catalog([Movie('Jaws', 1975, 'Spielberg'), Movie('Titanic', 1997, 'Cameron'),
                       Movie('The Birds', 1963, 'Hitchcock')], key='released')
    catalog.add(Movie('Aliens', 1986, 'Cameron'))
    assert [m.released for m in catalog] == [1963, 1975, 1986, 1997]
    assert catalog.since(1975) == ['Jaws', 'Aliens', 'Titanic']

    tax = StepFunction((0, 0), (1000, .1), (5000, .25))
    assert [tax.rate(x) for x in (0, 1000, 4999, 10**6)] == [0, .1, .1, .25]
    assert tax.integral(6000) == 650 and tax.integral(500) == 0

    down = [Reversed(v) for v in (9, 5, 1)]
    insort(down, Reversed(7))
    assert [r.value for r in down] == [9, 7, 5, 1]

    data = sorted([('red', 5), ('blue', 1), ('yellow', 8), ('black', 0)], key=itemgetter(1))
    keys = [r[1] for r in data]
    assert data[bisect_left(keys, 5)] == ('red', 5)
    assert bisect(a, 4, lo=2, hi=3) == 3


if __name__ == '__main__':
    test()
    print(*map(grade, range(50, 100, 10)))
