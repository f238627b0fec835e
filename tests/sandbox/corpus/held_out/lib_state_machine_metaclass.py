"""Declarative state machines through a metaclass and __set_name__."""
from collections import OrderedDict


class State:
    def __init__(self, initial=False, final=False):
        self.initial, self.final = initial, final
        self.name = None

    def __set_name__(self, owner, name):
        self.name = name

    def to(self, *targets):
        return Transition([(self, t) for t in targets])

    def __repr__(self):
        return f"State({self.name})"


class Transition:
    def __init__(self, arrows):
        self.arrows = arrows
        self.hooks = []

    def __or__(self, other):
        return Transition(self.arrows + other.arrows)

    def __set_name__(self, owner, name):
        self.name = name

    def __call__(self, fn):
        self.hooks.append(fn)
        return fn

    def __get__(self, machine, owner):
        if machine is None:
            return self

        def trigger(*args, **kwargs):
            for source, target in self.arrows:
                if machine.state is source:
                    for hook in self.hooks:
                        if hook(machine, *args, **kwargs) is False:
                            return False
                    machine._enter(target)
                    return True
            raise MachineError(f"cannot {self.name} when {machine.state.name}")
        trigger.__name__ = self.name
        return trigger


class MachineError(Exception):
    pass


class MachineMeta(type):
    @classmethod
    def __prepare__(mcs, name, bases, **kwargs):
        return OrderedDict()

    def __new__(mcs, name, bases, ns, strict=True, **kwargs):
        cls = super().__new__(mcs, name, bases, dict(ns), **kwargs)
        cls.states = [v for v in ns.values() if isinstance(v, State)]
        initial = [s for s in cls.states if s.initial]
        if bases and strict and len(initial) != 1:
            raise TypeError(f"{name} needs exactly one initial state, has {len(initial)}")
        cls.initial = initial[0] if initial else None
        return cls

    def __len__(cls):
        return len(cls.states)

    def __iter__(cls):
        return iter(cls.states)


class Machine(metaclass=MachineMeta):
    def __init__(self):
        self.history = []
        self._enter(self.initial)

    def _enter(self, state):
        self.state = state
        self.history.append(state.name)
        getattr(self, "on_" + state.name, lambda: None)()


class Door(Machine):
    closed = State(initial=True)
    opened = State()
    locked = State()
    broken = State(final=True)

    open = closed.to(opened)
    close = opened.to(closed)
    lock = closed.to(locked)
    kick = closed.to(broken) | locked.to(broken)
    unlock = locked.to(closed)

    def __init__(self, code):
        self.code = code
        super().__init__()

    @unlock
    def check(self, code):
        return code == self.code

    def on_opened(self):
        print("squeak!")


d = Door("1234")
assert d.open() and d.close() and d.lock()
assert d.unlock("0000") is False and d.state is Door.locked
assert d.unlock("1234")
try:
    d.close()
except MachineError as e:
    print(e)
d.kick()
assert d.state.final
print(" -> ".join(d.history), len(Door), [s.name for s in Door])
try:
    class Bad(Machine):
        a = State()
except TypeError as e:
    print(e)


class Abstract(Machine, strict=False):
    pass


assert Abstract.initial is None and type(Door) is MachineMeta
assert d.open.__name__ == "open"
