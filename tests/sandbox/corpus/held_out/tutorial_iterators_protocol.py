class Countdown:
    """Both an iterable and an iterator, as in the old books."""

    def __init__(self, start):
        self.current = start + 1

    def __iter__(self):
        return self

    def __next__(self):
        self.current -= 1
        if self.current < 0:
            raise StopIteration
        return self.current

    # Python 2 habit
    next = __next__


class Squares:
    """Old sequence protocol: __getitem__ only."""

    def __init__(self, n):
        self.n = n

    def __getitem__(self, i):
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(self.n))]
        if i < 0:
            i += self.n
        if not 0 <= i < self.n:
            raise IndexError("squares index out of range")
        return i * i


class Peekable:
    _empty = object()

    def __init__(self, it):
        self._it = iter(it)
        self._cache = self._empty

    def __iter__(self):
        return self

    def peek(self, default=None):
        if self._cache is self._empty:
            try:
                self._cache = next(self._it)
            except StopIteration:
                return default
        return self._cache

    def __next__(self):
        if self._cache is not self._empty:
            value, self._cache = self._cache, self._empty
            return value
        return next(self._it)

    def __bool__(self):
        return self.peek(self._empty) is not self._empty


class Sentence(object):
    def __init__(self, text):
        self.words = text.split()

    def __iter__(self):
        for w in self.words:
            yield w

    def __reversed__(self):
        return iter(self.words[::-1])

    def __contains__(self, w):
        return w.lower() in (x.lower() for x in self.words)

    def __len__(self):
        return len(self.words)

    def __length_hint__(self):
        return len(self.words)


assert list(Countdown(3)) == [3, 2, 1, 0]
c = Countdown(2)
assert c.next() == 2 and next(c) == 1 and list(c) == [0] and list(c) == []
sq = Squares(6)
assert list(sq) == [0, 1, 4, 9, 16, 25]
assert sq[-1] == 25 and sq[1:4] == [1, 4, 9] and sq[::-2] == [25, 9, 1]
assert 16 in sq and 17 not in sq
assert list(reversed(Sentence("a b c"))) == ["c", "b", "a"]
s = Sentence("The quick brown fox")
assert "QUICK" in s and len(s) == 4
first, *_, last = s
assert (first, last) == ("The", "fox")

p = Peekable("hello")
out = ""
while p:
    ch = next(p)
    run = 1
    while p.peek() == ch:
        next(p)
        run += 1
    out += ch + (str(run) if run > 1 else "")
assert out == "hel2o", out
assert p.peek("end") == "end"

rolls = iter([3, 5, 1, 6, 2, 6])
until_six = list(iter(lambda: next(rolls), 6))
assert until_six == [3, 5, 1]
it = iter("abcdefg")
assert list(zip(it, it, it)) == [("a", "b", "c"), ("d", "e", "f")]
assert next(it, "nothing") == "nothing"
try:
    iter(5)
except TypeError as e:
    print(e)
print(max(s, key=len), min(Countdown(5)), sum(Squares(4)), dict(enumerate(s, 1)))
