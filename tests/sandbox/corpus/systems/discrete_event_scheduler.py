"""Discrete event simulation with generators as processes (a bank, a car wash, a cron)."""
from __future__ import annotations
import heapq
import itertools
import random
from collections import deque
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import mean


@dataclass(order=True)
class Event:
    time: float
    serial: int
    action: object = field(compare=False)
    cancelled: bool = field(default=False, compare=False)


class Simulation:
    def __init__(self, seed=None):
        self.now = 0.0
        self.random = random.Random(seed)
        self._queue: list[Event] = []
        self._serial = itertools.count()
        self.trace = []

    def at(self, time, action):
        event = Event(time, next(self._serial), action)
        heapq.heappush(self._queue, event)
        return event

    def after(self, delay, action):
        if delay < 0:
            raise ValueError(f'negative delay: {delay}')
        return self.at(self.now + delay, action)

    def every(self, interval, action, *, until=float('inf')):
        def run():
            action()
            if self.now + interval <= until:
                self.after(interval, run)
        return self.after(interval, run)

    def process(self, generator):
        """Drive a generator which yields delays or resources to wait for."""
        def resume(value=None):
            try:
                wish = generator.send(value)
            except StopIteration as stop:
                self.trace.append((self.now, stop.value))
                return
            match wish:
                case int() | float():
                    self.after(wish, resume)
                case Resource():
                    wish._request(resume)
                case _:
                    generator.throw(TypeError(f'cannot wait for {wish!r}'))
        self.after(0, resume)

    def run(self, until=float('inf')):
        while self._queue and self._queue[0].time <= until:
            event = heapq.heappop(self._queue)
            if not event.cancelled:
                self.now = event.time
                event.action()
        return self


class Resource:
    def __init__(self, sim, capacity=1):
        self.sim, self.capacity = sim, capacity
        self.users, self._waiting = 0, deque()
        self.busy = 0.0

    def _request(self, resume):
        if self.users < self.capacity:
            self._grant(resume)
        else:
            self._waiting.append(resume)

    def _grant(self, resume):
        self.users += 1
        self.sim.after(0, resume)

    @contextmanager
    def held(self):
        start = self.sim.now
        try:
            yield self
        finally:
            self.busy += self.sim.now - start
            self.users -= 1
            if self._waiting:
                self._grant(self._waiting.popleft())

    def __repr__(self):
        return f'<Resource {self.users}/{self.capacity}, {len(self._waiting)} waiting>'


def customer(sim, name, counter, waits, service):
    arrived = sim.now
    yield counter
    with counter.held():
        waits[name] = sim.now - arrived
        yield service
    return f'{name} served'


def arrivals(sim, counter, waits, n):
    for i in range(n):
        sim.process(customer(sim, f'c{i}', counter, waits, sim.random.uniform(1, 4)))
        yield sim.random.expovariate(1 / 2)
    return 'closed'


def test_order():
    sim, seen = Simulation(), []
    sim.at(5, lambda: seen.append('late'))
    sim.at(1, lambda: seen.append('early'))
    sim.at(1, lambda: seen.append('early too'))
    doomed = sim.after(2, lambda: seen.append('never'))
    doomed.cancelled = True
    sim.every(2, lambda: seen.append(f'tick {sim.now:g}'), until=6)
    sim.run()
    assert seen == ['early', 'early too', 'tick 2', 'tick 4', 'late', 'tick 6'] and sim.now == 6
    try:
        sim.after(-1, None)
    except ValueError as e:
        assert str(e) == 'negative delay: -1'


def test_bank():
    sim = Simulation()
    desk, waits = Resource(sim), {}
    for name, service in (('ann', 3), ('bob', 2), ('cy', 1)):
        sim.process(customer(sim, name, desk, waits, service))
    assert repr(desk) == '<Resource 0/1, 0 waiting>'
    sim.run(until=1)
    assert repr(desk) == '<Resource 1/1, 2 waiting>'
    sim.run()
    assert waits == {'ann': 0, 'bob': 3, 'cy': 5} and desk.busy == 6
    assert sim.trace == [(3, 'ann served'), (5, 'bob served'), (6, 'cy served')]


def test_more_desks_mean_less_waiting():
    means = []
    for desks in (1, 2, 4):
        sim = Simulation(seed=8)
        waits = {}
        sim.process(arrivals(sim, Resource(sim, desks), waits, 40))
        sim.run()
        assert len(waits) == 40
        means.append(mean(waits.values()))
    print(*(f'{m:.2f}' for m in means))
    assert means[0] > means[1] >= means[2] >= 0


def test_bad_process():
    def confused():
        yield 'nonsense'
    sim = Simulation()
    sim.process(confused())
    try:
        sim.run()
    except TypeError as e:
        assert str(e) == "cannot wait for 'nonsense'"
    else:
        raise AssertionError


if __name__ == '__main__':
    for test in [test_order, test_bank, test_more_desks_mean_less_waiting, test_bad_process]:
        test()
