"""A skip list as a sorted multiset."""
import random
from itertools import islice


class _Tower:
    __slots__ = ("value", "next")

    def __init__(self, value, height):
        self.value = value
        self.next = [None] * height


class SkipList:
    MAX_HEIGHT = 12
    P = 0.5

    def __init__(self, values=(), *, key=None, seed=None):
        self._head = _Tower(None, self.MAX_HEIGHT)
        self._key = key or (lambda x: x)
        self._random = random.Random(seed)
        self._size = 0
        for v in values:
            self.add(v)

    def _height(self):
        height = 1
        while height < self.MAX_HEIGHT and self._random.random() < self.P:
            height += 1
        return height

    def _before(self, wanted):
        """For each level, the last tower whose key is smaller."""
        tower = self._head
        path = [None] * self.MAX_HEIGHT
        for level in reversed(range(self.MAX_HEIGHT)):
            while (after := tower.next[level]) is not None and self._key(after.value) < wanted:
                tower = after
            path[level] = tower
        return path

    def add(self, value):
        path = self._before(self._key(value))
        new = _Tower(value, self._height())
        for level, _ in enumerate(new.next):
            new.next[level], path[level].next[level] = path[level].next[level], new
        self._size += 1

    def remove(self, value):
        wanted = self._key(value)
        path = self._before(wanted)
        doomed = path[0].next[0]
        if doomed is None or self._key(doomed.value) != wanted:
            raise ValueError(f"{value!r} is not in the list")
        for level, link in enumerate(doomed.next):
            path[level].next[level] = link
        self._size -= 1

    def __contains__(self, value):
        wanted = self._key(value)
        after = self._before(wanted)[0].next[0]
        return after is not None and self._key(after.value) == wanted

    def __iter__(self):
        tower = self._head.next[0]
        while tower:
            yield tower.value
            tower = tower.next[0]

    def from_(self, low):
        tower = self._before(low)[0].next[0]
        while tower:
            yield tower.value
            tower = tower.next[0]

    def __len__(self):
        return self._size

    def __str__(self):
        levels = []
        for level in range(self.MAX_HEIGHT):
            line, tower = [], self._head.next[level]
            while tower:
                line.append(str(tower.value))
                tower = tower.next[level]
            if line:
                levels.append(f"{level}: {' '.join(line)}")
        return "\n".join(levels[::-1])


def check_sorted_multiset():
    s = SkipList([5, 1, 4, 1, 5, 9, 2, 6], seed=1)
    assert list(s) == [1, 1, 2, 4, 5, 5, 6, 9]
    s.remove(5)
    assert 5 in s and len(s) == 7
    s.remove(5)
    assert 5 not in s
    try:
        s.remove(5)
    except ValueError as e:
        assert str(e) == "5 is not in the list"
    else:
        raise AssertionError("removed a missing value")
    assert list(islice(s.from_(3), 2)) == [4, 6]
    print(s)


def check_key():
    words = SkipList("the Quick brown Fox jumps".split(), key=str.lower, seed=2)
    assert list(words) == ["brown", "Fox", "jumps", "Quick", "the"]
    assert "FOX" in words and "dog" not in words


def check_large():
    rng = random.Random(8)
    s, plain = SkipList(seed=3), []
    for _ in range(800):
        if plain and rng.random() < 0.3:
            victim = rng.choice(plain)
            plain.remove(victim)
            s.remove(victim)
        else:
            n = rng.randrange(500)
            plain.append(n)
            s.add(n)
    assert list(s) == sorted(plain) and len(s) == len(plain)


for check in check_sorted_multiset, check_key, check_large:
    check()
