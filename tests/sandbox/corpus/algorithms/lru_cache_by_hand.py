"""Least recently used: with an OrderedDict, and as a decorator with arguments."""
from collections import OrderedDict, namedtuple
from functools import wraps

Info = namedtuple("Info", "hits misses size", defaults=(0,))


class LRU(OrderedDict):
    def __init__(self, capacity, *args, on_evict=None, **kwds):
        self.capacity = capacity
        self.on_evict = on_evict or (lambda key, value: None)
        super().__init__(*args, **kwds)

    def __getitem__(self, key):
        value = super().__getitem__(key)
        self.move_to_end(key)
        return value

    def __setitem__(self, key, value):
        if key in self:
            self.move_to_end(key)
        super().__setitem__(key, value)
        if len(self) > self.capacity:
            oldest = next(iter(self))
            self.on_evict(oldest, self.peek(oldest))
            del self[oldest]

    def peek(self, key):
        return super().__getitem__(key)


def memoise(function=None, /, *, size=128):
    """Use as @memoise or as @memoise(size=3)."""
    def decorate(f):
        hits = misses = 0
        cache = LRU(size)

        @wraps(f)
        def wrapper(*args, **kwargs):
            nonlocal hits, misses
            key = (args, frozenset(kwargs.items()))
            try:
                value = cache[key]
            except KeyError:
                misses += 1
                value = cache[key] = f(*args, **kwargs)
            else:
                hits += 1
            return value

        wrapper.info = lambda: Info(hits, misses, len(cache))
        wrapper.clear = cache.clear
        return wrapper

    return decorate if function is None else decorate(function)


def test_order():
    gone = []
    cache = LRU(2, on_evict=lambda k, v: gone.append((k, v)))
    cache["a"] = 1
    cache["b"] = 2
    assert cache["a"] == 1
    cache["c"] = 3
    assert gone == [("b", 2)]
    assert list(cache) == ["a", "c"]
    cache["a"] += 10
    assert list(cache.items()) == [("c", 3), ("a", 11)]
    assert cache.peek("c") == 3 and list(cache)[0] == "c"
    cache.capacity = 1
    cache["d"] = 4
    assert "c" not in cache


def test_decorators():
    @memoise
    def fib(n):
        "The n-th Fibonacci number."
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    @memoise(size=3)
    def square(n, *, offset=0):
        return n * n + offset

    assert fib(80) == 23416728348467685
    assert fib.__name__ == "fib" and fib.__doc__.startswith("The n-th")
    assert fib.info() == Info(hits=78, misses=81, size=81)
    for n in (1, 2, 3, 1, 4, 2):
        square(n)
    assert square.info() == (1, 5, 3)
    assert square(4, offset=1) == 17
    assert square.info()._replace(size=0).misses == 6
    square.clear()
    assert square.info().size == 0


test_order()
test_decorators()
