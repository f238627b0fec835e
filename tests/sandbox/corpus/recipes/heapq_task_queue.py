import heapq
import itertools
from dataclasses import dataclass, field
from heapq import heappop, heappush, merge, nlargest, nsmallest
from typing import Any


class TaskQueue:
    REMOVED = '<removed-task>'

    def __init__(self):
        self._pq = []
        self._finder = {}
        self._counter = itertools.count()

    def add(self, task, priority=0):
        'Add a new task or update the priority of an existing task'
        if task in self._finder:
            self.remove(task)
        entry = [priority, next(self._counter), task]
        self._finder[task] = entry
        heappush(self._pq, entry)

    def remove(self, task):
        entry = self._finder.pop(task)
        entry[-1] = self.REMOVED

    def pop(self):
        while self._pq:
            priority, count, task = heappop(self._pq)
            if task is not self.REMOVED:
                del self._finder[task]
                return task
        raise KeyError('pop from an empty priority queue')

    def __len__(self):
        return len(self._finder)


@dataclass(order=True)
class PrioritizedItem:
    priority: int
    item: Any = field(compare=False)


class MaxHeap:
    class _Rev:
        __slots__ = 'v',
        def __init__(self, v): self.v = v
        def __lt__(self, other): return other.v < self.v

    def __init__(self, xs=()):
        self._h = [self._Rev(x) for x in xs]
        heapq.heapify(self._h)

    def push(self, x):
        heappush(self._h, self._Rev(x))

    def pop(self):
        return heappop(self._h).v

    def __bool__(self):
        return bool(self._h)


class RunningMedian:
    def __init__(self):
        self.lo, self.hi = [], []

    def add(self, x):
        heappush(self.hi, -heapq.heappushpop(self.lo, -x))
        if len(self.hi) > len(self.lo) + 1:
            heappush(self.lo, -heappop(self.hi))
        return self.value

    @property
    def value(self):
        if len(self.hi) > len(self.lo):
            return self.hi[0]
        return (self.hi[0] - self.lo[0]) / 2


def heapsort(iterable):
    h = []
    for value in iterable:
        heappush(h, value)
    return [heappop(h) for _ in range(len(h))]


def dijkstra(graph, source):
    dist, queue = {}, [(0, source)]
    while queue:
        d, u = heappop(queue)
        if u in dist:
            continue
        dist[u] = d
        for v, w in graph.get(u, {}).items():
            if v not in dist:
                heappush(queue, (d + w, v))
    return dist


def prim(graph, start):
    seen, total, edges = {start}, 0, [(w, v) for v, w in graph[start].items()]
    heapq.heapify(edges)
    while edges:
        w, v = heappop(edges)
        if v not in seen:
            seen.add(v)
            total += w
            for nxt, nw in graph[v].items():
                heappush(edges, (nw, nxt))
    return total


def hamming_numbers():
    heap, seen = [1], {1}
    while True:
        yield (n := heappop(heap))
        for p in (2, 3, 5):
            if n * p not in seen:
                seen.add(n * p)
                heappush(heap, n * p)


def kth_smallest_in_matrix(m, k):
    return next(itertools.islice(merge(*m), k - 1, None))


q = TaskQueue()
for name, pri in [('write code', 5), ('release', 7), ('write spec', 1), ('create tests', 3)]:
    q.add(name, pri)
q.add('release', 0)
q.remove('create tests')
assert len(q) == 3
assert [q.pop() for _ in range(3)] == ['release', 'write spec', 'write code']
try:
    q.pop()
except KeyError as e:
    assert 'empty' in e.args[0]
else:
    raise AssertionError

items = [PrioritizedItem(2, {'b'}), PrioritizedItem(1, {'a'}), PrioritizedItem(2, {'c'})]
assert heapsort(items)[0].item == {'a'}
mh = MaxHeap([3, 1, 4, 1, 5])
mh.push(9)
out = []
while mh:
    out.append(mh.pop())
assert out == [9, 5, 4, 3, 1, 1]

rm = RunningMedian()
assert [rm.add(x) for x in [5, 2, 8, 9, 1]] == [5, 3.5, 5, 6.5, 5]
assert heapsort([7, 2, 9, 4]) == [2, 4, 7, 9]
G = {'a': {'b': 7, 'c': 3}, 'b': {'a': 7, 'c': 1, 'd': 2}, 'c': {'a': 3, 'b': 1, 'd': 8}, 'd': {'b': 2, 'c': 8}}
assert dijkstra(G, 'a') == {'a': 0, 'c': 3, 'b': 4, 'd': 6}
assert prim(G, 'a') == 6
assert list(itertools.islice(hamming_numbers(), 12)) == [1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 15, 16]
assert list(merge([1, 4, 7], (2, 5), range(0, 9, 4))) == [0, 1, 2, 4, 4, 5, 7, 8]
assert list(merge('CA', 'DB', reverse=True)) == ['D', 'C', 'B', 'A']
assert list(merge(['dog', 'horse'], ['cat', 'fish', 'kangaroo'], key=len)) == ['dog', 'cat', 'fish', 'horse', 'kangaroo']
assert nlargest(2, {'a': 3, 'b': 9, 'c': 5}.items(), key=lambda kv: kv[1]) == [('b', 9), ('c', 5)]
assert nsmallest(3, [5, 1, 4, 2]) == [1, 2, 4]
assert kth_smallest_in_matrix([[1, 5, 9], [10, 11, 13], [12, 13, 15]], 8) == 13
h = [1, 3, 2]
assert heapq.heapreplace(h, 10) == 1 and heapq.heappushpop(h, 0) == 0 and h[0] == 2
