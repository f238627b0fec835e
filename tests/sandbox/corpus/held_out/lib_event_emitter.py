"""An event emitter with once, wildcard, weak listeners, priorities and a context manager."""
import functools
import inspect
import weakref
from collections import defaultdict
from contextlib import contextmanager


class Emitter:
    def __init__(self):
        self._listeners = defaultdict(list)
        self._order = 0

    def on(self, event, fn=None, *, priority=0):
        if fn is None:
            return functools.partial(self.on, event, priority=priority)
        self._order += 1
        self._listeners[event].append((-priority, self._order, fn))
        self._listeners[event].sort(key=lambda entry: entry[:2])
        return fn

    def once(self, event, fn):
        @functools.wraps(fn)
        def wrapper(*args, **kwargs):
            self.off(event, wrapper)
            return fn(*args, **kwargs)
        return self.on(event, wrapper)

    def weak(self, event, method):
        ref = weakref.WeakMethod(method)

        def call(*args, **kwargs):
            target = ref()
            if target is None:
                self.off(event, call)
            else:
                return target(*args, **kwargs)
        return self.on(event, call)

    def off(self, event, fn=None):
        if fn is None:
            self._listeners.pop(event, None)
        else:
            self._listeners[event] = [e for e in self._listeners[event] if e[2] is not fn]

    def emit(self, event, *args, **kwargs):
        results = []
        for key in (event, "*"):
            for _, _, fn in list(self._listeners.get(key, ())):
                if key == "*":
                    fn(event, *args)
                else:
                    results.append(fn(*args, **kwargs))
        return results

    def __getattr__(self, name):
        if name.startswith("emit_"):
            return functools.partial(self.emit, name.removeprefix("emit_"))
        raise AttributeError(name)

    @contextmanager
    def muted(self, event):
        saved = self._listeners.pop(event, [])
        try:
            yield self
        finally:
            self._listeners[event] = saved


log = []
bus = Emitter()


@bus.on("greet")
def hello(name):
    return f"hello {name}"


@bus.on("greet", priority=5)
def first(name):
    return f"first {name}"


bus.on("*", lambda event, *args: log.append((event, args)))
bus.once("greet", lambda name: "once")
assert bus.emit("greet", "ann") == ["first ann", "hello ann", "once"]
assert bus.emit_greet("bob") == ["first bob", "hello bob"]
bus.off("greet", hello)
with bus.muted("greet"):
    assert bus.emit("greet", "x") == []
assert bus.emit("greet", "cid") == ["first cid"]


class Widget:
    def __init__(self, name):
        self.name = name

    def on_draw(self):
        return self.name


w = Widget("button")
bus.weak("draw", w.on_draw)
assert bus.emit("draw") == ["button"]
del w
assert bus.emit("draw") == [None] and bus.emit("draw") == []
try:
    bus.nonsense
except AttributeError as e:
    assert str(e) == "nonsense"
print([event for event, _ in log])
assert [e for e, _ in log] == ["greet"] * 4 + ["draw"] * 3
assert list(inspect.signature(bus.on).parameters) == ["event", "fn", "priority"]
