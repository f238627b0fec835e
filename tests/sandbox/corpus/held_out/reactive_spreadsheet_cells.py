"""Signals: values, computed values, effects; like the reactive libraries of the web."""
from __future__ import annotations
from contextlib import contextmanager
from typing import Callable, Generic, TypeVar
import weakref

T = TypeVar("T")
_stack: list["Computed"] = []
_batch: list[set] = []


class Signal(Generic[T]):
    def __init__(self, value: T, name: str = "?"):
        self._value, self.name = value, name
        self._subscribers: set[Computed] = set()

    def __call__(self) -> T:
        if _stack:
            self._subscribers.add(_stack[-1])
            _stack[-1].sources.add(self)
        return self._value

    def set(self, value: T) -> None:
        if value != self._value:
            self._value = value
            for s in sorted(self._subscribers, key=lambda c: c.id):
                s.invalidate()

    def update(self, f: Callable[[T], T]) -> None:
        self.set(f(self._value))

    def __ilshift__(self, value):
        self.set(value)
        return self

    def __repr__(self):
        return f"{type(self).__name__}({self.name}={self._value!r})"


class Computed(Signal[T]):
    _ids = 0

    def __init__(self, fn: Callable[[], T], eager: bool = False):
        super().__init__(None, fn.__name__)
        Computed._ids += 1
        self.id, self.fn, self.eager = Computed._ids, fn, eager
        self.sources: weakref.WeakSet[Signal] = weakref.WeakSet()
        self.dirty, self.runs = True, 0
        if eager:
            self()

    def __call__(self) -> T:
        if self in _stack:
            raise RecursionError(f"{self.name} depends on itself")
        if self.dirty:
            for s in list(self.sources):
                s._subscribers.discard(self)
            self.sources.clear()
            _stack.append(self)
            try:
                self._value = self.fn()
                self.runs += 1
            finally:
                _stack.pop()
            self.dirty = False
        return super().__call__()

    def invalidate(self):
        if self.dirty:
            return
        self.dirty = True
        for s in sorted(self._subscribers, key=lambda c: c.id):
            s.invalidate()
        if self.eager:
            _batch[-1].add(self) if _batch else self()


@contextmanager
def batch():
    _batch.append(set())
    try:
        yield
    finally:
        for effect in sorted(_batch.pop(), key=lambda c: c.id):
            effect()


computed = Computed
effect = lambda fn: Computed(fn, eager=True)

price, qty, member = Signal(10.0, "price"), Signal(2, "qty"), Signal(False, "member")


@computed
def subtotal():
    return price() * qty()


@computed
def total():
    return subtotal() * 0.9 if member() else subtotal()


log = []


@effect
def show():
    log.append(f"total is {total():.2f}")


price.set(12.0)
member.set(True)
qty <<= 2
assert log == ["total is 20.00", "total is 24.00", "total is 21.60"], log
with batch():
    price.set(1)
    qty.update(lambda q: q + 8)
    member.set(False)
assert log[3:] == ["total is 10.00"] and subtotal.runs == 3
print(*log, price, total, sep="\n")


@computed
def loop():
    return loop()


try:
    loop()
except RecursionError as e:
    print(e)
assert not _stack
