from queue import Queue, LifoQueue, PriorityQueue, Empty, Full
import heapq
import itertools


class Task:
    def __init__(self, name, pri):
        self.name, self.pri = name, pri

    def __lt__(self, other):
        return self.pri < other.pri

    def __repr__(self):
        return f"Task({self.name})"


q: Queue = Queue(maxsize=2)
q.put("a")
q.put("b")
try:
    q.put_nowait("c")
except Full:
    pass
assert q.full() and q.get() == "a" and not q.empty()
l = LifoQueue()
for i in range(3):
    l.put(i)
assert [l.get() for _ in range(3)] == [2, 1, 0]
p = PriorityQueue()
p.put(Task("low", 9))
p.put(Task("high", 1))
assert p.get().name == "high"
try:
    Queue().get(block=False)
except Empty:
    print("empty")


class RemovablePQ:
    REMOVED = "<removed-task>"

    def __init__(self):
        self.pq, self.finder, self.counter = [], {}, itertools.count()

    def add(self, task, priority=0):
        if task in self.finder:
            self.remove(task)
        entry = [priority, next(self.counter), task]
        self.finder[task] = entry
        heapq.heappush(self.pq, entry)

    def remove(self, task):
        self.finder.pop(task)[-1] = self.REMOVED

    def pop(self):
        while self.pq:
            priority, count, task = heapq.heappop(self.pq)
            if task is not self.REMOVED:
                del self.finder[task]
                return task
        raise KeyError("pop from an empty priority queue")


r = RemovablePQ()
r.add("write", 5)
r.add("test", 1)
r.add("write", 0)
assert r.pop() == "write"
r.remove("test")
try:
    r.pop()
except KeyError as e:
    assert "empty" in e.args[0]
