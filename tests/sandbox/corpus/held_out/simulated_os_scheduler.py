from __future__ import print_function
from collections import deque, OrderedDict
import heapq


class Process(object):
    def __init__(self, pid, arrival, burst, priority=0):
        self.pid = pid
        self.arrival = arrival
        self.burst = burst
        self.priority = priority
        self.remaining = burst
        self.finish = None

    @property
    def turnaround(self):
        return self.finish - self.arrival

    @property
    def waiting(self):
        return self.turnaround - self.burst

    def __repr__(self):
        return "P%d" % self.pid


class Scheduler(object):
    name = "abstract"

    def __init__(self, table):
        self.processes = [Process(*row) for row in table]
        self.clock = 0
        self.gantt = []

    def push(self, p):
        raise NotImplementedError

    def pop(self):
        raise NotImplementedError

    def empty(self):
        return not self.queue

    def run(self):
        pending = deque(sorted(self.processes, key=lambda p: (p.arrival, p.pid)))
        current = None
        while pending or not self.empty() or current:
            while pending and pending[0].arrival <= self.clock:
                self.push(pending.popleft())
            if current:
                self.push(current)
                current = None
            if self.empty():
                self.gantt.append("--")
                self.clock += 1
                continue
            current = self.pop()
            for _ in range(self.slice(current)):
                self.gantt.append(repr(current))
                current.remaining -= 1
                self.clock += 1
                while pending and pending[0].arrival <= self.clock:
                    self.push(pending.popleft())
            if current.remaining == 0:
                current.finish = self.clock
                current = None
        return self

    def slice(self, p):
        return p.remaining

    def report(self):
        chart = OrderedDict()
        last, out = None, []
        for t, who in enumerate(self.gantt):
            if who != last:
                out.append("%d:%s" % (t, who))
                last = who
        n = float(len(self.processes))
        avg = sum(p.waiting for p in self.processes) / n
        print("%-12s wait %.2f  %s" % (self.name, avg, " ".join(out)))
        return avg


class FCFS(Scheduler):
    name = "FCFS"

    def __init__(self, table):
        super(FCFS, self).__init__(table)
        self.queue = deque()

    def push(self, p): self.queue.append(p)
    def pop(self): return self.queue.popleft()


class RoundRobin(FCFS):
    name = "RR q=2"
    quantum = 2

    def slice(self, p):
        return min(self.quantum, p.remaining)


class HeapScheduler(Scheduler):
    key = None

    def __init__(self, table):
        Scheduler.__init__(self, table)
        self.queue = []

    def push(self, p): heapq.heappush(self.queue, (self.key(p), p.pid, p))
    def pop(self): return heapq.heappop(self.queue)[-1]


class SJF(HeapScheduler):
    name = "SJF"
    key = staticmethod(lambda p: p.burst)


class SRTF(HeapScheduler):
    name = "SRTF"
    key = staticmethod(lambda p: p.remaining)
    slice = lambda self, p: 1


class Priority(HeapScheduler):
    name = "priority"
    key = lambda self, p: -p.priority


table = [(1, 0, 7, 1), (2, 2, 4, 3), (3, 4, 1, 2), (4, 5, 4, 9)]
waits = {}
for cls in (FCFS, RoundRobin, SJF, SRTF, Priority):
    s = cls(table).run()
    waits[cls.name] = s.report()
    assert s.clock == 16 and all(p.waiting >= 0 for p in s.processes)
assert waits["FCFS"] == 4.75 and waits["SJF"] == 4.0 and waits["SRTF"] == 3.0
assert min(waits, key=waits.get) == "SRTF"
late = FCFS([(9, 3, 1)]).run()
assert late.gantt == ["--"] * 3 + ["P9"]
try:
    Scheduler([]).push(None)
except NotImplementedError:
    print("abstract")
