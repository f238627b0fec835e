"""An elevator that answers calls, as a state machine stepped by a clock."""

import random
import statistics
import types
from collections import defaultdict
from dataclasses import dataclass, field
from enum import Enum


class Direction(Enum):
    UP = 1
    IDLE = 0
    DOWN = -1

    def __neg__(self):
        return Direction(-self.value)

    @classmethod
    def between(cls, a, b):
        return cls((b > a) - (b < a))


@dataclass(eq=False)
class Passenger:
    name: str
    born: int
    origin: int
    target: int
    boarded: int | None = None
    arrived: int | None = None

    @property
    def direction(self):
        return Direction.between(self.origin, self.target)

    waited = property(lambda self: self.boarded - self.born)


@dataclass
class Elevator:
    floors: int
    capacity: int = 4
    floor: int = 0
    direction: Direction = Direction.IDLE
    riders: list = field(default_factory=list)
    travelled: int = 0
    def __post_init__(self):
        self.listeners = defaultdict(list)
        self.limits = types.MappingProxyType({"floors": self.floors, "capacity": self.capacity})

    def on(self, event):
        def register(function):
            self.listeners[event].append(function)
            return function
        return register

    def emit(self, event, *args):
        for listener in self.listeners.get(event, ()):
            listener(self, *args)

    def choose(self, waiting):
        wanted = {p.target for p in self.riders} | {f for f, queue in waiting.items() if queue}
        wanted.discard(self.floor)
        ahead = {f for f in wanted if Direction.between(self.floor, f) is self.direction}
        if not wanted:
            self.direction = Direction.IDLE
        elif self.direction is Direction.IDLE:
            nearest = min(wanted, key=lambda f: (abs(f - self.floor), f))
            self.direction = Direction.between(self.floor, nearest)
        elif not ahead:
            self.direction = -self.direction

    def step(self, now, waiting):
        for p in (leaving := [p for p in self.riders if p.target == self.floor]):
            p.arrived = now
            self.riders.remove(p)
        queue = waiting[self.floor]
        entering = queue[:self.limits["capacity"] - len(self.riders)]
        del queue[:len(entering)]
        for p in entering:
            p.boarded = now
        self.riders += entering
        if leaving or entering:
            self.emit("open", now, leaving, entering)
        self.choose(waiting)
        if self.direction is not Direction.IDLE:
            self.floor += self.direction.value
            self.travelled += 1
            assert 0 <= self.floor < self.floors, "left the building"


class Building:
    def __init__(self, elevator, passengers):
        self.elevator = elevator
        self.coming = sorted(passengers, key=lambda p: p.born, reverse=True)
        self.waiting = defaultdict(list)
        self.now = 0

    @property
    def busy(self):
        return bool(self.coming or self.elevator.riders or any(self.waiting.values()))

    def run(self):
        while self.busy:
            while self.coming and self.coming[-1].born <= self.now:
                p = self.coming.pop()
                self.waiting[p.origin].append(p)
            self.elevator.step(self.now, self.waiting)
            self.now += 1
        return self.now


def crowd(n, floors, seed):
    rng = random.Random(seed)
    for i in range(n):
        origin, target = rng.sample(range(floors), 2)
        yield Passenger(f"P{i}", rng.randrange(3 * n), origin, target)


def test_alone():
    p, elevator, log = Passenger("Zoe", 2, 3, 0), Elevator(5), []

    @elevator.on("open")
    def remember(lift, now, leaving, entering):
        log.append((now, lift.floor, [x.name for x in leaving], [x.name for x in entering]))

    Building(elevator, [p]).run()
    assert remember.__name__ == "remember"
    assert log == [(5, 3, [], ["Zoe"]), (8, 0, ["Zoe"], [])]
    assert p.waited == 3 and p.arrived == 8 and elevator.travelled == 6
    assert p.direction is Direction.DOWN and -p.direction is Direction.UP


def test_crowd():
    for capacity in (1, 4, 10):
        people = list(crowd(40, 9, seed=11))
        elevator, most = Elevator(9, capacity), 0
        @elevator.on("open")
        def count(lift, *_):
            nonlocal most
            most = max(most, len(lift.riders))

        took = Building(elevator, people).run()
        assert all(p.arrived - p.boarded >= abs(p.target - p.origin) and p.waited >= 0 for p in people)
        assert 1 <= most <= capacity
        print("capacity %2d: done at %4d, mean wait %6.1f" % (capacity, took, statistics.mean(p.waited for p in people)))

test_alone()
test_crowd()
