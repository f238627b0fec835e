"""A B-tree of minimum degree t that follows the mapping protocol."""
from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Page:
    keys: list[Any] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)
    children: list[Page] = field(default_factory=list)

    @property
    def is_leaf(self) -> bool:
        return not self.children


class BTree(Mapping):
    def __init__(self, degree: int = 3, /, **initial: Any) -> None:
        if degree < 2:
            raise ValueError("the degree must be at least 2, not %d" % degree)
        self._t = degree
        self._root = Page()
        self._len = 0
        for key, value in initial.items():
            self[key] = value

    def __getitem__(self, key: Any) -> Any:
        page = self._root
        while True:
            i = bisect_left(page.keys, key)
            if i < len(page.keys) and page.keys[i] == key:
                return page.values[i]
            if page.is_leaf:
                raise KeyError(key)
            page = page.children[i]

    def __setitem__(self, key: Any, value: Any) -> None:
        if self._is_full(self._root):
            self._root = Page(children=[self._root])
            self._split(self._root, 0)
        page = self._root
        while True:
            i = bisect_left(page.keys, key)
            if i < len(page.keys) and page.keys[i] == key:
                page.values[i] = value
                return
            if page.is_leaf:
                page.keys.insert(i, key)
                page.values.insert(i, value)
                self._len += 1
                return
            if self._is_full(page.children[i]):
                self._split(page, i)
                if page.keys[i] == key:
                    page.values[i] = value
                    return
                if page.keys[i] < key:
                    i += 1
            page = page.children[i]

    def _is_full(self, page: Page) -> bool:
        return len(page.keys) == 2 * self._t - 1

    def _split(self, parent: Page, i: int) -> None:
        t, left = self._t, parent.children[i]
        right = Page(left.keys[t:], left.values[t:], left.children[t:])
        parent.keys.insert(i, left.keys[t - 1])
        parent.values.insert(i, left.values[t - 1])
        parent.children.insert(i + 1, right)
        del left.keys[t - 1:], left.values[t - 1:], left.children[t:]

    def __iter__(self) -> Iterator[Any]:
        yield from self._walk(self._root)

    def _walk(self, page: Page) -> Iterator[Any]:
        if page.is_leaf:
            yield from page.keys
            return
        for child, key in zip(page.children, page.keys):
            yield from self._walk(child)
            yield key
        yield from self._walk(page.children[-1])

    def __len__(self) -> int:
        return self._len

    def range(self, low: Any, high: Any) -> Iterator[tuple[Any, Any]]:
        return ((k, self[k]) for k in self if low <= k < high)

    @property
    def depth(self) -> int:
        page, levels = self._root, 1
        while page.children:
            page, levels = page.children[0], levels + 1
        return levels


def main() -> None:
    tree = BTree(2, one=1, two=2, three=3)
    assert dict(tree) == {"one": 1, "three": 3, "two": 2}
    assert tree.get("four") is None and tree.get("four", 4) == 4
    assert tree == {"one": 1, "two": 2, "three": 3}
    assert list(tree.values()) == [1, 3, 2]

    big = BTree(4)
    for n in range(1000):
        big[n * 7919 % 1009] = n
    assert len(big) == 1000
    assert list(big) == sorted(big.keys())
    assert big.depth <= 5
    assert list(big.range(10, 13)) == [(k, big[k]) for k in (10, 11, 12)]
    big[7919 % 1009] = "changed"
    assert len(big) == 1000 and big[7919 % 1009] == "changed"
    try:
        BTree(1)
    except ValueError as e:
        assert "not 1" in str(e)
    try:
        big[-1]
    except KeyError:
        print("depth", big.depth)


if __name__ == "__main__":
    main()
