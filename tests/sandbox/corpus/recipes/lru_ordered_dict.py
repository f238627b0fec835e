"""Ordered dictionaries: LRU caches in several flavours."""
from __future__ import annotations

from collections import OrderedDict
from functools import wraps
from typing import Any, Callable, Hashable


class LastUpdatedOrderedDict(OrderedDict):
    """Store items in the order the keys were last added."""

    def __setitem__(self, key, value):
        super().__setitem__(key, value)
        self.move_to_end(key)


class BoundedLRU:
    def __init__(self, func: Callable[..., Any], maxsize: int = 128) -> None:
        self.cache: OrderedDict[Hashable, Any] = OrderedDict()
        self.func = func
        self.maxsize = maxsize
        self.hits = self.misses = 0

    def __call__(self, *args: Any) -> Any:
        if args in self.cache:
            self.hits += 1
            self.cache.move_to_end(args)
            return self.cache[args]
        self.misses += 1
        result = self.func(*args)
        self.cache[args] = result
        if len(self.cache) > self.maxsize:
            self.cache.popitem(last=False)
        return result


class MultiHitLRUCache:
    """Defers caching a result until it has been requested several times."""

    def __init__(self, func, maxsize=128, maxrequests=4096, cache_after=1):
        self.requests = OrderedDict()  # { uncached_key : request_count }
        self.cache = OrderedDict()     # { cached_key : function_result }
        self.func = func
        self.maxrequests = maxrequests
        self.maxsize = maxsize
        self.cache_after = cache_after

    def __call__(self, *args):
        if args in self.cache:
            self.cache.move_to_end(args)
            return self.cache[args]
        result = self.func(*args)
        self.requests[args] = self.requests.get(args, 0) + 1
        if self.requests[args] <= self.cache_after:
            self.requests.move_to_end(args)
            if len(self.requests) > self.maxrequests:
                self.requests.popitem(0)
        else:
            self.requests.pop(args, None)
            self.cache[args] = result
            if len(self.cache) > self.maxsize:
                self.cache.popitem(0)
        return result


def lru(maxsize):
    def decorate(func):
        store = OrderedDict()

        @wraps(func)
        def wrapper(*args, **kwargs):
            key = args + tuple(sorted(kwargs.items()))
            try:
                value = store.pop(key)
            except KeyError:
                value = func(*args, **kwargs)
                if len(store) >= maxsize:
                    store.popitem(last=False)
            store[key] = value
            return value

        wrapper.store = store
        wrapper.cache_clear = store.clear
        return wrapper

    return decorate


calls: list[int] = []


@lru(maxsize=3)
def square(n: int) -> int:
    """Square, slowly."""
    calls.append(n)
    return n * n


def test_last_updated():
    d = LastUpdatedOrderedDict(a=1, b=2, c=3)
    d["a"] = 10
    assert list(d) == ["b", "c", "a"]
    assert d.popitem() == ("a", 10)
    assert list(reversed(d)) == ["c", "b"]
    assert OrderedDict(x=1, y=2) != OrderedDict(y=2, x=1)
    assert OrderedDict(x=1, y=2) == dict(y=2, x=1)


def test_bounded():
    cache = BoundedLRU(lambda a, b: a + b, maxsize=2)
    for pair in [(1, 2), (3, 4), (1, 2), (5, 6), (1, 2), (3, 4)]:
        assert cache(*pair) == sum(pair)
    assert (cache.hits, cache.misses) == (2, 4)
    assert list(cache.cache) == [(1, 2), (3, 4)]


def test_multi_hit():
    seen = []

    def record(x):
        seen.append(x)
        return -x

    f = MultiHitLRUCache(record, maxsize=4, maxrequests=6)
    for x in range(20):
        f(x)
    f(4)
    f(18)
    f(18)
    f(18)
    assert seen.count(18) == 2, seen.count(18)
    assert f.cache == OrderedDict({(18,): -18})
    assert len(f.requests) <= 6


def test_decorator():
    assert [square(n) for n in (1, 2, 3, 1, 4, 1, 2)] == [1, 4, 9, 1, 16, 1, 4]
    assert calls == [1, 2, 3, 4, 2]
    assert square.__name__ == "square" and square.__doc__ == "Square, slowly."
    assert list(square.store.values()) == [16, 1, 4]
    square.cache_clear()
    assert not square.store


for test in (test_last_updated, test_bounded, test_multi_hit, test_decorator):
    test()
    print(f"{test.__name__:<20} ok")
