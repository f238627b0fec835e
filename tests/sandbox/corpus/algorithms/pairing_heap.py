"""A pairing heap with decrease-key, as an abstract queue with two makes."""
from abc import ABCMeta, abstractmethod
import heapq
import random


class PriorityQueue(metaclass=ABCMeta):
    """What both queues can do."""

    @abstractmethod
    def push(self, priority, item):
        raise NotImplementedError

    @abstractmethod
    def pop(self):
        raise NotImplementedError

    @abstractmethod
    def __len__(self): ...

    def __bool__(self):
        return len(self) > 0

    def drain(self):
        while self:
            yield self.pop()


class BinaryHeap(PriorityQueue):
    def __init__(self):
        self._heap = []

    def push(self, priority, item):
        heapq.heappush(self._heap, (priority, item))

    def pop(self):
        return heapq.heappop(self._heap)

    def __len__(self):
        return len(self._heap)


class PairingHeap(PriorityQueue):
    class Node:
        __slots__ = "priority", "item", "child", "next", "prev"

        def __init__(self, priority, item):
            self.priority = priority
            self.item = item
            self.child = self.next = self.prev = None

    def __init__(self):
        super().__init__()
        self._root = None
        self._n = 0

    def __len__(self):
        return self._n

    @staticmethod
    def _meld(a, b):
        if a is None or b is None:
            return a or b
        if b.priority < a.priority:
            a, b = b, a
        b.prev, b.next = a, a.child
        if a.child:
            a.child.prev = b
        a.child = b
        a.next = a.prev = None
        return a

    def push(self, priority, item):
        node = self.Node(priority, item)
        self._root = self._meld(self._root, node)
        self._n += 1
        return node

    def decrease(self, node, priority):
        if node.priority < priority:
            raise ValueError("that would be an increase")
        node.priority = priority
        if node is self._root:
            return
        if node.prev.child is node:
            node.prev.child = node.next
        else:
            node.prev.next = node.next
        if node.next:
            node.next.prev = node.prev
        node.next = node.prev = None
        self._root = self._meld(self._root, node)

    def pop(self):
        if not self._root:
            raise IndexError("pop from an empty heap")
        top = self._root
        trees, node = [], top.child
        while node:
            after, node.next, node.prev = node.next, None, None
            trees.append(node)
            node = after
        pairs = [self._meld(trees[i], trees[i + 1] if i + 1 < len(trees) else None)
                 for i in range(0, len(trees), 2)]
        root = None
        for tree in reversed(pairs):
            root = self._meld(root, tree)
        self._root, self._n = root, self._n - 1
        return top.priority, top.item


def test_both_sort():
    numbers = random.Random(5).sample(range(10_000), 300)
    for make in PriorityQueue.__subclasses__():
        queue = make()
        for n in numbers:
            queue.push(n, str(n))
        assert [p for p, _ in queue.drain()] == sorted(numbers), make.__name__
        assert not queue


def test_decrease():
    heap = PairingHeap()
    nodes = {name: heap.push(p, name) for p, name in enumerate("abcdefgh", 10)}
    assert heap.pop() == (10, "a")
    heap.decrease(nodes["h"], 1)
    heap.decrease(nodes["d"], 2)
    try:
        heap.decrease(nodes["b"], 100)
    except ValueError:
        pass
    else:
        assert False
    assert "".join(item for _, item in heap.drain()) == "hdbcefg"


def test_abstract():
    try:
        PriorityQueue()
    except TypeError as e:
        assert "abstract" in str(e)
    try:
        PairingHeap().pop()
    except IndexError as e:
        print(e)


test_both_sort()
test_decrease()
test_abstract()
