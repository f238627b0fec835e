"""Customers, checkouts and a heap of events."""
import heapq
import itertools
import random
import statistics
from dataclasses import dataclass, field
from typing import Any, Callable


@dataclass(order=True)
class Event:
    time: float
    seq: int
    action: Callable[..., Any] = field(compare=False)
    args: tuple = field(compare=False, default=())


class Simulator:
    def __init__(self, seed=None):
        self.now = 0.0
        self._queue: list[Event] = []
        self._seq = itertools.count()
        self.rng = random.Random(seed)

    def schedule(self, delay, action, *args):
        event = Event(self.now + delay, next(self._seq), action, args)
        heapq.heappush(self._queue, event)
        return event

    def cancel(self, event):
        self._queue.remove(event)
        heapq.heapify(self._queue)

    def run(self, until=float("inf")):
        n = 0
        while self._queue and self._queue[0].time <= until:
            event = heapq.heappop(self._queue)
            self.now = event.time
            event.action(*event.args)
            n += 1
        return n


class Customer:
    ids = itertools.count(1)

    def __init__(self, items):
        self.id = next(self.ids)
        self.items = items
        self.arrived = self.served = None

    @property
    def waited(self):
        return self.served - self.arrived


class Checkout:
    def __init__(self, sim, name, speed=1.0):
        self.sim, self.name, self.speed = sim, name, speed
        self.line = []
        self.busy = False
        self.done = []

    def __len__(self):
        return len(self.line) + self.busy

    def join(self, customer):
        customer.arrived = self.sim.now
        self.line.append(customer)
        if not self.busy:
            self.serve()

    def serve(self):
        self.busy = True
        customer = self.line.pop(0)
        customer.served = self.sim.now
        self.sim.schedule(customer.items / self.speed, self.finish, customer)

    def finish(self, customer):
        self.done.append(customer)
        self.busy = False
        if self.line:
            self.serve()


class Store:
    def __init__(self, sim, checkouts):
        self.sim, self.checkouts = sim, checkouts

    def arrive(self, left):
        if left:
            min(self.checkouts, key=len).join(Customer(self.sim.rng.randint(1, 12)))
            self.sim.schedule(self.sim.rng.expovariate(1 / 3.0), self.arrive, left - 1)


def experiment(n):
    sim = Simulator(seed=1)
    checkouts = [Checkout(sim, "till %d" % i) for i in range(n)]
    sim.schedule(0, Store(sim, checkouts).arrive, 200)
    events = sim.run()
    waits = [c.waited for till in checkouts for c in till.done]
    assert len(waits) == 200 and min(waits) >= 0
    assert events == 401
    return statistics.mean(waits), max(waits), sim.now


previous = float("inf")
for n in (1, 2, 3, 5):
    mean, longest, end = experiment(n)
    print("%d tills: mean wait %7.2f, longest %7.2f, closed at %.0f" % (n, mean, longest, end))
    assert mean <= previous
    previous = mean

sim = Simulator()
out = []
a = sim.schedule(5, out.append, "never")
sim.schedule(1, out.append, "first")
sim.schedule(1, out.append, "second")
sim.cancel(a)
assert sim.run() == 2 and out == ["first", "second"] and sim.now == 1
