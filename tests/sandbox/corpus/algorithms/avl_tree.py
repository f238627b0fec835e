"""A self-balancing AVL tree that behaves as a sorted set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableSet
from typing import Any, Generic, Optional, TypeVar

T = TypeVar("T")


class _Node(Generic[T]):
    __slots__ = ("value", "left", "right", "height")

    def __init__(self, value: T) -> None:
        self.value = value
        self.left: Optional[_Node[T]] = None
        self.right: Optional[_Node[T]] = None
        self.height = 1

    def update(self) -> None:
        self.height = 1 + max(_height(self.left), _height(self.right))

    @property
    def balance(self) -> int:
        return _height(self.left) - _height(self.right)


def _height(node: Optional[_Node[Any]]) -> int:
    return node.height if node else 0

def _rotate_right(node):
    pivot = node.left
    node.left, pivot.right = pivot.right, node
    node.update()
    pivot.update()
    return pivot

def _rotate_left(node):
    pivot = node.right
    node.right, pivot.left = pivot.left, node
    node.update()
    pivot.update()
    return pivot

def _rebalance(node):
    node.update()
    if node.balance > 1:
        if node.left.balance < 0:
            node.left = _rotate_left(node.left)
        return _rotate_right(node)
    if node.balance < -1:
        if node.right.balance > 0:
            node.right = _rotate_right(node.right)
        return _rotate_left(node)
    return node


class AVLTree(MutableSet):
    def __init__(self, values: Iterable[T] = ()) -> None:
        self._root: Optional[_Node[T]] = None
        self._size = 0
        for value in values:
            self.add(value)

    def __contains__(self, value: object) -> bool:
        node = self._root
        while node is not None:
            if value == node.value:
                return True
            node = node.left if value < node.value else node.right
        return False

    def __iter__(self) -> Iterator[T]:
        def walk(node):
            if node:
                yield from walk(node.left)
                yield node.value
                yield from walk(node.right)

        return walk(self._root)

    def __len__(self) -> int:
        return self._size

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({list(self)!r})"

    @property
    def height(self) -> int:
        return _height(self._root)

    def add(self, value: T) -> None:
        self._root = self._insert(self._root, value)

    def _insert(self, node, value):
        if node is None:
            self._size += 1
            return _Node(value)
        if value < node.value:
            node.left = self._insert(node.left, value)
        elif value > node.value:
            node.right = self._insert(node.right, value)
        else:
            return node
        return _rebalance(node)

    def discard(self, value: T) -> None:
        self._root = self._delete(self._root, value)

    def _delete(self, node, value):
        if node is None:
            return None
        if value < node.value:
            node.left = self._delete(node.left, value)
        elif value > node.value:
            node.right = self._delete(node.right, value)
        elif node.left and node.right:
            heir = node.right
            while heir.left:
                heir = heir.left
            node.value = heir.value
            node.right = self._delete(node.right, heir.value)
        else:
            self._size -= 1
            return node.left or node.right
        return _rebalance(node)


def main():
    tree = AVLTree(range(1000))
    assert len(tree) == 1000 and tree.height <= 14
    assert 500 in tree and 1000 not in tree
    for odd in range(1, 1000, 2):
        tree.remove(odd)
    assert list(tree) == list(range(0, 1000, 2))
    try:
        tree.remove(1)
    except KeyError as e:
        assert e.args == (1,)
    small = AVLTree("hello")
    assert repr(small) == "AVLTree(['e', 'h', 'l', 'o'])"
    assert list(small & set("lot")) == ["l", "o"]
    assert small <= set("holes") and small.isdisjoint("xyz")
    small |= {"z", "a"}
    assert "".join(small) == "aehloz"
    print(small, small.height)


if __name__ == "__main__":
    main()
