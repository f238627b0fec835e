"""TTL caches, an LFU cache and rate limiters, all with a clock that can be moved."""
from __future__ import annotations

import functools
import time
from collections import OrderedDict, defaultdict, deque
from typing import Callable, Hashable


class FakeClock:
    def __init__(self, start: float = 0.0) -> None:
        self.now = start

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds


class TTLCache:
    def __init__(self, ttl: float, maxsize: int = 100, clock: Callable[[], float] = time.monotonic):
        self.ttl, self.maxsize, self._clock = ttl, maxsize, clock
        self._data: OrderedDict[Hashable, tuple[float, object]] = OrderedDict()

    def _expire(self) -> None:
        now = self._clock()
        while self._data:
            key, (deadline, _) = next(iter(self._data.items()))
            if deadline > now:
                break
            del self._data[key]

    def __setitem__(self, key, value):
        self._expire()
        self._data.pop(key, None)
        if len(self._data) >= self.maxsize:
            self._data.popitem(last=False)
        self._data[key] = self._clock() + self.ttl, value

    def __getitem__(self, key):
        self._expire()
        return self._data[key][1]

    def __contains__(self, key):
        try:
            self[key]
        except KeyError:
            return False
        return True

    def __len__(self):
        self._expire()
        return len(self._data)


def ttl_cache(ttl: float, *, clock: Callable[[], float] = time.monotonic):
    def decorate(func):
        cache = TTLCache(ttl, clock=clock)

        @functools.wraps(func)
        def wrapper(*args, **kwargs):
            key = (args, frozenset(kwargs.items()))
            try:
                result = cache[key]
            except KeyError:
                wrapper.misses += 1
                result = cache[key] = func(*args, **kwargs)
            else:
                wrapper.hits += 1
            return result

        wrapper.hits = wrapper.misses = 0
        wrapper.cache = cache
        return wrapper

    return decorate


class LFUCache:
    """Least frequently used goes first; O(1)."""

    def __init__(self, capacity):
        self.capacity = capacity
        self._values, self._uses = {}, {}
        self._by_use = defaultdict(OrderedDict)
        self._least = 0

    def _touch(self, key):
        n = self._uses[key]
        del self._by_use[n][key]
        if not self._by_use[n]:
            del self._by_use[n]
            self._least += self._least == n
        self._uses[key] = n + 1
        self._by_use[n + 1][key] = None

    def get(self, key):
        if key not in self._values:
            return -1
        self._touch(key)
        return self._values[key]

    def put(self, key, value):
        if self.capacity <= 0:
            return
        if key in self._values:
            self._values[key] = value
            return self._touch(key)
        if len(self._values) >= self.capacity:
            old, _ = self._by_use[self._least].popitem(last=False)
            del self._values[old], self._uses[old]
        self._values[key], self._uses[key], self._least = value, 1, 1
        self._by_use[1][key] = None


class TooManyRequests(Exception):
    def __init__(self, retry_after):
        self.retry_after = retry_after
        super().__init__(f"retry after {retry_after:.1f}s")


class TokenBucket:
    def __init__(self, rate, capacity, clock):
        self.rate, self.capacity, self.clock = rate, capacity, clock
        self.tokens, self.updated = capacity, clock()

    def take(self, n=1):
        now = self.clock()
        self.tokens = min(self.capacity, self.tokens + (now - self.updated) * self.rate)
        self.updated = now
        if self.tokens < n:
            raise TooManyRequests((n - self.tokens) / self.rate)
        self.tokens -= n


class SlidingWindow:
    def __init__(self, limit, window, clock):
        self.limit, self.window, self.clock = limit, window, clock
        self.calls = defaultdict(deque)

    def allow(self, who):
        q, now = self.calls[who], self.clock()
        while q and q[0] <= now - self.window:
            q.popleft()
        if (ok := len(q) < self.limit):
            q.append(now)
        return ok


clock = FakeClock()


@ttl_cache(10, clock=clock)
def slow(x, *, y=0):
    """Slow."""
    return x + y + clock.now


def main():
    assert slow(1) == 1
    clock.advance(9)
    assert slow(1) == 1 and slow(1, y=5) == 15
    clock.advance(2)
    assert slow(1) == 12 and (slow.hits, slow.misses) == (1, 3) and len(slow.cache) == 2
    assert slow.__name__ == "slow" and slow.__doc__ == "Slow."

    c = TTLCache(5, maxsize=2, clock=clock)
    c["a"], c["b"], c["c"] = 1, 2, 3
    assert "a" not in c and c["b"] == 2 and len(c) == 2
    clock.advance(5)
    assert len(c) == 0 and "b" not in c

    lfu = LFUCache(2)
    lfu.put(1, "one"), lfu.put(2, "two")
    assert lfu.get(1) == "one"
    lfu.put(3, "three")
    assert lfu.get(2) == -1 and lfu.get(3) == "three"
    lfu.put(4, "four")
    assert [lfu.get(k) for k in (1, 3, 4)] == [-1, "three", "four"]

    bucket = TokenBucket(rate=2, capacity=4, clock=clock)
    for _ in range(4):
        bucket.take()
    try:
        bucket.take(3)
    except TooManyRequests as e:
        assert str(e) == "retry after 1.5s"
        clock.advance(e.retry_after)
    bucket.take(3)
    window = SlidingWindow(limit=3, window=60, clock=clock)
    got = []
    for pause in (0, 10, 10, 10, 31, 0):
        clock.advance(pause)
        got.append(window.allow("ann"))
    assert got == [True, True, True, False, True, False] and window.allow("bob")


main()
