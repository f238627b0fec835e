import asyncio
from collections import defaultdict
from functools import partial, wraps
from typing import Any, Callable
import weakref

class Signal:
    """Observer pattern: signal.connect(f); signal(*args)."""

    def __init__(self, name=""):
        self.name = name
        self._slots = []

    def connect(self, slot=None, *, once=False):
        if slot is None:
            return partial(self.connect, once=once)

        if once:
            original = slot

            @wraps(original)
            def slot(*args, **kwargs):
                self.disconnect(slot)
                return original(*args, **kwargs)

        self._slots.append(slot)
        return slot

    def disconnect(self, slot):
        self._slots.remove(slot)

    def __call__(self, *args, **kwargs):
        return [slot(*args, **kwargs) for slot in list(self._slots)]

    __iadd__ = lambda self, slot: self.connect(slot) and self
    __isub__ = lambda self, slot: self.disconnect(slot) or self

    def __len__(self):
        return len(self._slots)

class Observable:
    """Descriptor which tells subscribers of each change."""

    def __init__(self, default=None):
        self.default = default

    def __set_name__(self, owner, name):
        self.attr = "_" + name
        self.name = name

    def __get__(self, obj, owner=None):
        return self if obj is None else getattr(obj, self.attr, self.default)

    def __set__(self, obj, value):
        old = self.__get__(obj)
        setattr(obj, self.attr, value)
        if old != value:
            obj.changed(self.name, old, value)

class Thermostat:
    target = Observable(20)
    mode = Observable("off")

    def __init__(self):
        self.changed = Signal("changed")

class Event:
    def __init__(self, topic, /, **payload):
        self.topic = topic
        self.payload = payload
        self.stopped = False

    def __getattr__(self, name):
        if name in self.payload:
            return self.payload[name]
        raise AttributeError(name)

    def stop(self):
        self.stopped = True

def matches(topic, pattern):
    return topic == pattern or pattern.endswith("*") and topic.startswith(pattern[:-1])

class Bus:
    def __init__(self):
        self._handlers: dict[str, list[tuple[int, Callable[[Event], Any]]]] = defaultdict(list)
        self.errors = []

    def on(self, *topics, priority=0):
        def decorate(func):
            for topic in topics:
                self._handlers[topic].append((priority, func))
                self._handlers[topic].sort(key=lambda pf: -pf[0])
            return func
        return decorate

    def emit(self, topic, **payload):
        event = Event(topic, **payload)
        matching = [pf for pattern, handlers in self._handlers.items() if matches(topic, pattern) for pf in handlers]
        for _, handler in sorted(matching, key=lambda pf: pf[0], reverse=True):
            if event.stopped:
                break
            try:
                handler(event)
            except Exception as exc:
                self.errors.append((handler.__name__, exc))
        return event

    async def emit_async(self, topic, **payload):
        event = Event(topic, **payload)
        results = (h(event) for _, h in self._handlers.get(topic, ()))
        return await asyncio.gather(*(r for r in results if asyncio.iscoroutine(r)))

class Subject:
    def __init__(self):
        self._observers = weakref.WeakSet()

    def attach(self, observer):
        self._observers.add(observer)

    def notify(self, *args):
        return sum(o.update(*args) or 1 for o in self._observers)

class Counter:
    seen = 0
    def update(self, n): self.seen += n

def test_signals():
    ping, got = Signal("ping"), []
    ping += got.append
    ping.connect(lambda x: x * 2)

    @ping.connect(once=True)
    def only_once(x):
        got.append("once")

    assert ping(21) == [None, 42, None] and ping(1) == [None, 2]
    assert got == [21, "once", 1] and len(ping) == 2
    ping -= got.append
    assert len(ping) == 1 and only_once.__name__ == "only_once"

def test_observable():
    t, log = Thermostat(), []
    t.changed.connect(lambda *change: log.append("%s: %r -> %r" % change))
    t.target = 22
    t.target = 22
    t.mode = "heat"
    assert log == ["target: 20 -> 22", "mode: 'off' -> 'heat'"]
    assert Thermostat().target == 20 and Thermostat.mode.name == "mode"

def test_bus():
    bus, seen = Bus(), []

    @bus.on("user.*", priority=1)
    def audit(e):
        seen.append(("audit", e.topic, e.payload.get("name")))

    @bus.on("user.created", "user.deleted")
    def count(e):
        seen.append(("count", e.name))

    @bus.on("*", priority=-5)
    def broken(e):
        raise RuntimeError(e.missing)

    @bus.on("user.banned", priority=9)
    def stopper(e):
        e.stop()

    bus.emit("user.created", name="ann")
    assert seen == [("audit", "user.created", "ann"), ("count", "ann")]
    (name, error), = bus.errors
    assert name == "broken" and isinstance(error, AttributeError)
    assert bus.emit("user.banned", name="x").stopped and len(seen) == 2

    @bus.on("slow")
    async def slow(e):
        await asyncio.sleep(0)
        return e.n + 1

    bus.on("slow")(lambda e: None)
    assert asyncio.run(bus.emit_async("slow", n=1)) == [2]
    subject, a, b = Subject(), Counter(), Counter()
    subject.attach(a), subject.attach(b)
    assert subject.notify(5) == 2 and a.seen == b.seen == 5
    del a
    assert subject.notify(1) == 1 and b.seen == 6

for test in test_signals, test_observable, test_bus:
    test()
