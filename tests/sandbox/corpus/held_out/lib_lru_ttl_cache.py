"""An LRU cache with expiry, and a decorator built on it; the clock is injected."""
import functools
import inspect
import time
from collections import OrderedDict
from collections.abc import MutableMapping
from typing import Callable, Hashable, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class FakeClock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class TTLCache(MutableMapping):
    def __init__(self, maxsize=3, ttl=10.0, timer=time.monotonic, on_evict=None):
        self.maxsize, self.ttl, self.timer = maxsize, ttl, timer
        self._data: OrderedDict[Hashable, tuple[float, object]] = OrderedDict()
        self.on_evict = on_evict or (lambda key, value: None)
        self.stats = dict(hits=0, misses=0)

    def __getitem__(self, key):
        try:
            expires, value = self._data[key]
        except KeyError:
            self.stats["misses"] += 1
            raise
        if expires <= self.timer():
            del self[key]
            self.stats["misses"] += 1
            raise KeyError(key)
        self._data.move_to_end(key)
        self.stats["hits"] += 1
        return value

    def __setitem__(self, key, value):
        self._data[key] = self.timer() + self.ttl, value
        self._data.move_to_end(key)
        while len(self._data) > self.maxsize:
            k, (_, v) = self._data.popitem(last=False)
            self.on_evict(k, v)

    def __delitem__(self, key):
        del self._data[key]

    def __iter__(self):
        now = self.timer()
        return (k for k, (expires, _) in list(self._data.items()) if expires > now)

    def __len__(self):
        return sum(1 for _ in self)

    def __repr__(self):
        return f"{type(self).__name__}({dict(self._data)!r})"


def cached(cache: TTLCache) -> Callable[[Callable[P, R]], Callable[P, R]]:
    def decorate(fn: Callable[P, R]) -> Callable[P, R]:
        sig = inspect.signature(fn)

        @functools.wraps(fn)
        def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
            bound = sig.bind(*args, **kwargs)
            bound.apply_defaults()
            key = tuple(bound.arguments.items())
            try:
                return cache[key]
            except KeyError:
                result = cache[key] = fn(*args, **kwargs)
                return result
        return wrapper
    return decorate


clock = FakeClock()
evicted = []
cache = TTLCache(timer=clock, on_evict=lambda k, v: evicted.append(k))
for i, k in enumerate("abc"):
    cache[k] = i
assert cache["a"] == 0
cache["d"] = 3
assert evicted == ["b"] and list(cache) == ["c", "a", "d"]
clock.now = 9.5
cache["e"] = 4
clock.now = 10
assert list(cache) == ["e"] and len(cache) == 1 and "a" not in cache
assert cache.pop("e") == 4 and cache.setdefault("z", 26) == 26
print(cache, cache.stats)

calls = []


@cached(TTLCache(timer=clock))
def power(base: int, exp: int = 2) -> int:
    """Raises."""
    calls.append((base, exp))
    return base ** exp


assert power(3) == power(3, 2) == power(exp=2, base=3) == 9
assert calls == [(3, 2)]
clock.now += 10
assert power(3) == 9 and len(calls) == 2
assert str(inspect.signature(power)) == "(base: int, exp: int = 2) -> int"
print(power.__name__, power.__doc__, power.__annotations__)
