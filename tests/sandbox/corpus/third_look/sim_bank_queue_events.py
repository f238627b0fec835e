from __future__ import annotations
import heapq
import random
import statistics
from collections import Counter, deque
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any


class Env:
    """A tiny discrete event simulator in the manner of SimPy."""

    def __init__(self):
        self.now, self._q, self._n = 0.0, [], 0

    def schedule(self, delay, fn, *args):
        self._n += 1
        heapq.heappush(self._q, (self.now + delay, self._n, fn, args))

    def process(self, gen: Generator[Any, Any, Any]):
        p = Process(self, gen)
        self.schedule(0, p.resume, None)
        return p

    def timeout(self, d, value=None):
        ev = Event(self)
        self.schedule(d, ev.succeed, value)
        return ev

    def run(self, until=float("inf")):
        while self._q and self._q[0][0] <= until:
            self.now, _, fn, args = heapq.heappop(self._q)
            fn(*args)
        return self.now


class Event:
    def __init__(self, env):
        self.env, self.callbacks, self.done, self.value = env, [], False, None

    def succeed(self, value=None):
        self.done, self.value = True, value
        for cb in self.callbacks:
            self.env.schedule(0, cb, value)
        self.callbacks = []
        return self

    def then(self, cb):
        if self.done:
            self.env.schedule(0, cb, self.value)
        else:
            self.callbacks.append(cb)


class Process(Event):
    def __init__(self, env, gen):
        super().__init__(env)
        self.gen = gen

    def resume(self, value):
        try:
            self.gen.send(value).then(self.resume)
        except StopIteration as stop:
            self.succeed(stop.value)

    def interrupt(self, why):
        try:
            self.gen.throw(InterruptedError(why)).then(self.resume)
        except StopIteration as stop:
            self.succeed(stop.value)


@dataclass
class Resource:
    env: Env
    capacity: int
    users: int = 0
    waiting: deque[Event] = field(default_factory=deque)

    def request(self):
        ev = Event(self.env)
        if self.users < self.capacity:
            self.users += 1
            ev.succeed()
        else:
            self.waiting.append(ev)
        return ev

    def release(self):
        if self.waiting:
            self.waiting.popleft().succeed()
        else:
            self.users -= 1


def customer(env, desk, rng, stats):
    t = env.now
    yield desk.request()
    stats["wait"].append(env.now - t)
    try:
        yield env.timeout(rng.expovariate(1 / 3))
    finally:
        desk.release()
    return env.now - t


def source(env, desk, rng, stats, n):
    procs = []
    for _ in range(n):
        procs.append(env.process(customer(env, desk, rng, stats)))
        yield env.timeout(rng.expovariate(1 / 2))
    for p in procs:
        stats["total"].append((yield p))
    return "all served"


def sleeper(env, log):
    try:
        yield env.timeout(100)
    except InterruptedError as e:
        log.append((env.now, str(e)))
        yield env.timeout(1)
    return "awake"


def run(seed, desks):
    env, rng, stats = Env(), random.Random(seed), {"wait": [], "total": []}
    main = env.process(source(env, Resource(env, desks), rng, stats, 40))
    env.run()
    assert main.value == "all served"
    return statistics.fmean(stats["wait"]), len(stats["total"])


one, two = run(7, 1), run(7, 2)
print(f"one desk {one[0]:.2f}, two desks {two[0]:.2f}")
assert one[1] == two[1] == 40 and two[0] < one[0] and run(7, 1) == one
env, log = Env(), []
p = env.process(sleeper(env, log))
env.schedule(5, p.interrupt, "alarm")
env.run(until=50)
assert log == [(5.0, "alarm")] and p.value == "awake" and env.now == 6.0
