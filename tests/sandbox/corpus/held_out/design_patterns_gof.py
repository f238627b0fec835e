"""Gang of four, compressed: observer, strategy, visitor, command, builder, proxy, chain, memento, flyweight."""
from __future__ import annotations
from abc import ABC, abstractmethod
from typing import Callable, Iterable
import copy
import functools


# Observer + Mediator
class Subject:
    def __init__(self):
        self._observers: list[Callable] = []

    def attach(self, o): self._observers.append(o); return lambda: self._observers.remove(o)

    def notify(self, *a):
        for o in tuple(self._observers):
            o(self, *a)


class Thermometer(Subject):
    _t = 0

    @property
    def t(self): return self._t

    @t.setter
    def t(self, value):
        self._t, old = value, self._t
        if old != value:
            self.notify(old, value)


# Strategy
class Discount(ABC):
    @abstractmethod
    def __call__(self, total: float) -> float: ...


class Percent(Discount):
    def __init__(self, p): self.p = p
    def __call__(self, total): return total * (1 - self.p / 100)


class Best(Discount):
    def __init__(self, *options: Discount | Callable): self.options = options
    def __call__(self, total): return min(o(total) for o in self.options)


# Visitor by naming
class Node:
    def __init__(self, **kw): self.__dict__ |= kw
    def accept(self, v): return getattr(v, "visit_" + type(self).__name__, v.generic)(self)


class Leaf(Node): pass
class Add(Node): pass
class Neg(Node): pass


class Evaluate:
    def visit_Leaf(self, n): return n.value
    def visit_Add(self, n): return n.left.accept(self) + n.right.accept(self)
    def generic(self, n): raise TypeError(f"no visit_{type(n).__name__}")


# Command + Memento
class Editor:
    def __init__(self): self.text, self._undo, self._redo = "", [], []

    def do(self, command: Callable[[str], str]):
        self._undo.append(self.text)
        self._redo.clear()
        self.text = command(self.text)
        return self

    def undo(self):
        self._redo.append(self.text)
        self.text = self._undo.pop()

    def redo(self):
        self._undo.append(self.text)
        self.text = self._redo.pop()


# Builder, fluent
class Sql:
    def __init__(self, table): self._parts = {"from": table}
    def __getattr__(self, name):
        def setter(*args):
            new = copy.copy(self)
            new._parts = {**self._parts, name.rstrip("_"): args}
            return new
        if name.startswith("__"):
            raise AttributeError(name)
        return setter
    def __str__(self):
        p = self._parts
        s = f"SELECT {', '.join(p.get('select', ['*']))} FROM {p['from']}"
        if "where" in p: s += " WHERE " + " AND ".join(p["where"])
        if "limit" in p: s += f" LIMIT {p['limit'][0]}"
        return s


# Proxy
class Logged:
    def __init__(self, target, log): self._target, self._log = target, log
    def __getattr__(self, name):
        attr = getattr(self._target, name)
        if not callable(attr):
            return attr
        @functools.wraps(attr)
        def call(*a, **k):
            self._log.append(name)
            return attr(*a, **k)
        return call


# Chain of responsibility, Flyweight
def chain(*handlers): return lambda req: next((r for h in handlers if (r := h(req)) is not None), "unhandled")


class Color:
    _pool: dict = {}
    def __new__(cls, *rgb):
        return cls._pool.setdefault(rgb, super().__new__(cls))


seen = []
th = Thermometer()
off = th.attach(lambda s, old, new: seen.append((old, new)))
th.t = 5; th.t = 5; th.t = 7; off(); th.t = 9
assert seen == [(0, 5), (5, 7)]
assert Best(Percent(10), lambda t: t - 5)(100) == 90
assert Add(left=Leaf(value=2), right=Leaf(value=3)).accept(Evaluate()) == 5
try:
    Neg().accept(Evaluate())
except TypeError as e:
    print(e)
ed = Editor().do(lambda t: t + "hello").do(str.upper)
ed.undo(); assert ed.text == "hello"; ed.redo(); assert ed.text == "HELLO"
base = Sql("users").where("age > 3", "name = 'x'")
print(base.select("id", "name").limit(5), "|", base)
log = []
proxy = Logged([3, 1, 2], log)
proxy.sort(); proxy.append(9)
assert log == ["sort", "append"] and proxy.pop() == 9
h = chain(lambda r: "even" if r % 2 == 0 else None, lambda r: "small" if r < 10 else None)
print([h(n) for n in (4, 3, 33)], Color(1, 2, 3) is Color(1, 2, 3), Color(0) is not Color(1))
