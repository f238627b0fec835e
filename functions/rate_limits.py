"""Limits on how often something may be tried, counted in Redis by all processes."""

import functools
import hashlib
import logging
import math
import threading
import time
from dataclasses import dataclass

import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

log = logging.getLogger(__name__)

# One for all processes, so that they count in the same windows.
clock = time.time

# A Redis that does not answer costs its timeout; one request in this while is enough to notice.
REDIS_TIMEOUT_SECONDS = 1.0
REST_SECONDS = 5.0
# Counters that one process keeps while Redis is away.
MOST_LOCAL_COUNTERS = 20_000


@dataclass(frozen=True, slots=True)
class Rate:
    """At most `tries` in each window of `seconds`; the windows follow the clock."""

    name: str
    tries: int
    seconds: int

    def count(self, who: str) -> bool:
        """Count a try; say whether it is still within the limit.

        Counted first and compared then, by one command: of many at once no more get through.
        """
        return not settings.RATE_LIMITS or _add(self.key(who), self.seconds) <= self.tries

    def refund(self, who: str) -> None:
        """Take back a try that was counted, unless its window has ended."""
        if settings.RATE_LIMITS:
            _refund(self.key(who))

    def retry_after_seconds(self) -> int:
        """Return how long it takes until everybody has all tries again."""
        return max(1, math.ceil(self.seconds - clock() % self.seconds))

    def key(self, who: str) -> str:
        """Return the name of the counter in the present window."""
        window = int(clock() // self.seconds)
        digest = hashlib.sha256(who.encode("utf-8", "surrogatepass")).hexdigest()
        return f"rate:{self.name}:{window}:{digest[:32]}"


def _add(key: str, seconds: int) -> int:
    """Add one to a counter and return it; to that of this process while Redis is away."""
    if not _rest.lasts():
        try:
            with _redis(settings.REDIS_URL).pipeline(transaction=False) as pipeline:
                pipeline.incr(key)
                pipeline.expire(key, seconds)
                return int(pipeline.execute()[0])
        except (redis.RedisError, OSError) as error:
            log.warning("limits are counted by each process for itself: %r", error)
            _rest.begin()
    return _local.add(key, seconds)


def _refund(key: str) -> None:
    _local.subtract(key)
    if _rest.lasts():
        return
    try:
        client = _redis(settings.REDIS_URL)
        if client.exists(key):
            client.decr(key)
    except (redis.RedisError, OSError) as error:
        log.warning("a try is not taken back: %r", error)
        _rest.begin()


def _redis(url: str) -> redis.Redis:
    """Return the client of all threads of this process, whose connections last."""
    # One alone: a second one that nobody keeps would close what a pipeline of it still uses.
    with _opening:
        return _open(url)


@functools.cache
def _open(url: str) -> redis.Redis:
    return redis.Redis.from_url(
        url,
        socket_timeout=REDIS_TIMEOUT_SECONDS,
        socket_connect_timeout=REDIS_TIMEOUT_SECONDS,
        retry=Retry(NoBackoff(), 0),
    )


class LocalCounters:
    """Counters of one process, the oldest of which give way to new ones when there are too many."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._counts: dict[str, tuple[int, float]] = {}  # and when each ends

    def add(self, key: str, seconds: int) -> int:
        """Add one and return the sum."""
        now = time.monotonic()
        with self._lock:
            count, end = self._counts.pop(key, (0, now + seconds))
            while self._counts and self._is_over(now):
                del self._counts[next(iter(self._counts))]
            self._counts[key] = (count + 1, end)
            return count + 1

    def subtract(self, key: str) -> None:
        """Take one back where something was counted."""
        with self._lock:
            if key in self._counts:
                count, end = self._counts[key]
                self._counts[key] = (count - 1, end)

    def _is_over(self, now: float) -> bool:
        """Say whether the counter that was not added to for longest can go."""
        _, end = next(iter(self._counts.values()))
        return end < now or len(self._counts) >= self._most


class _Rest:
    """The while in which a Redis that did not answer is not asked again."""

    def __init__(self) -> None:
        self._until = 0.0

    def begin(self) -> None:
        self._until = time.monotonic() + REST_SECONDS

    def lasts(self) -> bool:
        return time.monotonic() < self._until


_opening = threading.Lock()
_rest = _Rest()
_local = LocalCounters(MOST_LOCAL_COUNTERS)
