"""Data structures chapter 3: Stack, Queue, Deque, and their uses."""


class EmptyError(IndexError):
    pass


class Stack:
    def __init__(self):
        self._items = []

    def is_empty(self):
        return self._items == []

    def push(self, item):
        self._items.append(item)

    def pop(self):
        if self.is_empty():
            raise EmptyError("pop from empty stack")
        return self._items.pop()

    def peek(self):
        return self._items[len(self._items) - 1]

    def size(self):
        return len(self._items)


class Node:
    __slots__ = 'data', 'next'

    def __init__(self, data, next=None):
        self.data = data
        self.next = next


class LinkedQueue:
    def __init__(self):
        self._head = self._tail = None
        self._size = 0

    def __len__(self):
        return self._size

    def enqueue(self, x):
        node = Node(x)
        if self._tail is None:
            self._head = node
        else:
            self._tail.next = node
        self._tail = node
        self._size += 1

    def dequeue(self):
        if self._head is None:
            raise EmptyError("queue is empty")
        x = self._head.data
        self._head = self._head.next
        if self._head is None:
            self._tail = None
        self._size -= 1
        return x

    def __iter__(self):
        cur = self._head
        while cur is not None:
            yield cur.data
            cur = cur.next


def par_checker(symbols):
    s = Stack()
    pairs = {')': '(', ']': '[', '}': '{'}
    for ch in symbols:
        if ch in '([{':
            s.push(ch)
        elif ch in pairs:
            if s.is_empty() or s.pop() != pairs[ch]:
                return False
    return s.is_empty()


def divide_by_2(n, base=2):
    digits = "0123456789ABCDEF"
    s = Stack()
    while n > 0:
        s.push(n % base)
        n = n // base
    res = ""
    while not s.is_empty():
        res = res + digits[s.pop()]
    return res


def hot_potato(names, num):
    q = LinkedQueue()
    for name in names:
        q.enqueue(name)
    while len(q) > 1:
        for i in range(num):
            q.enqueue(q.dequeue())
        print("out:", q.dequeue())
    return q.dequeue()


assert par_checker("{({([][])}())}") and not par_checker("[{()]")
assert divide_by_2(233) == "11101001" and divide_by_2(255, 16) == "FF"
assert hot_potato(["Bill", "David", "Susan", "Jane", "Kent", "Brad"], 7) == "Susan"
q = LinkedQueue()
for c in "abc":
    q.enqueue(c)
assert list(q) == ["a", "b", "c"] and "b" in q
for cls, op in ((Stack, "pop"), (LinkedQueue, "dequeue")):
    try:
        getattr(cls(), op)()
    except IndexError as e:
        print(type(e).__name__, e)
n = Node(1)
try:
    n.prev = 3
except AttributeError:
    print("slots work")
