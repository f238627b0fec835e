"""A doubly linked list with a sentinel, which behaves as a sequence."""
from collections.abc import MutableSequence
from copy import copy


class Link:
    __slots__ = ("prev", "next", "value")

    def __init__(self, value=None, prev=None, next=None):
        self.value = value
        self.prev = prev if prev is not None else self
        self.next = next if next is not None else self


class LinkedList(MutableSequence):
    def __init__(self, values=()):
        self._ring = Link()
        self._size = 0
        self.extend(values)

    def _links(self, backwards=False):
        link = self._ring
        while (link := link.prev if backwards else link.next) is not self._ring:
            yield link

    def _find(self, index):
        if index < 0:
            index += self._size
        if not 0 <= index < self._size:
            raise IndexError("list index out of range")
        if index < self._size // 2:
            steps = enumerate(self._links())
        else:
            steps = zip(range(self._size - 1, -1, -1), self._links(backwards=True))
        for i, link in steps:
            if i == index:
                return link

    def __iter__(self):
        for link in self._links():
            yield link.value

    def __reversed__(self):
        for link in self._links(backwards=True):
            yield link.value

    def __len__(self):
        return self._size

    def __getitem__(self, index):
        if isinstance(index, slice):
            return type(self)(list(self)[index])
        return self._find(index).value

    def __setitem__(self, index, value):
        self._find(index).value = value

    def __delitem__(self, index):
        link = self._find(index)
        link.prev.next, link.next.prev = link.next, link.prev
        self._size -= 1
        del link

    def insert(self, index, value):
        after = self._ring if index >= self._size else self._find(max(index, -self._size))
        link = Link(value, after.prev, after)
        after.prev.next = after.prev = link
        self._size += 1

    def rotate(self, n=1):
        for _ in range(n % len(self) if self else 0):
            self.insert(0, self.pop())
        return self

    def __eq__(self, other):
        if not isinstance(other, LinkedList | list):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other))

    def __add__(self, other):
        return type(self)([*self, *other])

    def __copy__(self):
        return type(self)(self)

    def __repr__(self):
        return f"{type(self).__name__}({' <-> '.join(map(repr, self))})"


letters = LinkedList("abc")
letters.append("d")
letters.insert(0, "z")
assert list(letters) == ["z", *"abcd"]
assert list(reversed(letters)) == list("dcbaz")
assert letters[0] == "z" and letters[-1] == "d" and letters[2] == "b"
assert letters.index("c") == 3 and "q" not in letters and letters.count("a") == 1
letters[1] = "A"
del letters[0]
assert letters == ["A", "b", "c", "d"]
twin = copy(letters)
twin.reverse()
assert twin == list("dcbA") and letters != twin
assert letters[::2] == ["A", "c"] and isinstance(letters[1:], LinkedList)
assert repr(letters.rotate(2)) == "LinkedList('c' <-> 'd' <-> 'A' <-> 'b')"
assert letters.pop(0) == "c" and letters.pop() == "b"
letters += "xy"
assert letters + [1] == ["d", "A", "x", "y", 1]
letters.remove("x")
try:
    letters.remove("x")
except ValueError:
    letters.clear()
assert len(letters) == 0 and not letters and LinkedList() == []
try:
    letters.pop()
except IndexError as e:
    print(repr(e))
