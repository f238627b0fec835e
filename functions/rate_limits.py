"""Rate limits, counted in Redis across processes."""

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

# Wall-clock time, so that all processes count in the same windows.
clock = time.time

# If Redis doesn't answer, one request waits for the timeout; in the cooldown, none tries Redis.
REDIS_TIMEOUT_SECONDS = 1.0
COOLDOWN_SECONDS = 5.0
# Number of counters that a process keeps while Redis is unavailable.
MAX_LOCAL_COUNTERS = 20_000
# An address may be shared by several users.
ADDRESS_FACTOR = 5
AGENT_DIVISOR = 2


@dataclass(frozen=True, slots=True)
class Rate:
    """At most `tries` in each window of `seconds`; windows are aligned to the clock."""

    name: str
    tries: int
    seconds: int

    def count(self, who: str) -> bool:
        """Count a try; return whether it is within the limit, also under concurrency."""
        return self.take(who) >= 0

    def take(self, who: str) -> int:
        """Count a try; return how many are left, below zero beyond the limit."""
        if not settings.RATE_LIMITS:
            return self.tries
        return self.tries - _add(self.key(who), self.seconds)

    def retry_after_seconds(self) -> int:
        """Return the seconds until the window ends, rounded up."""
        return max(1, math.ceil(self.seconds - clock() % self.seconds))

    def key(self, who: str) -> str:
        """Return the name of the counter in the current window."""
        window = int(clock() // self.seconds)
        digest = hashlib.sha256(who.encode("utf-8", "surrogatepass")).hexdigest()
        return f"rate:{self.name}:{window}:{digest[:32]}"


@dataclass(frozen=True, slots=True)
class Limit:
    """The limit of an action per user and per address, and the requests that count.

    `agent` is an agent's own, counted before its person's. `visitor` is the limit per address
    without an account, for what needs none. `pages` are URL names, `api` are methods with paths
    below /api/v1/.
    """

    what: str
    user: Rate | None
    address: Rate
    pages: tuple[str, ...] = ()
    api: tuple[str, ...] = ()
    visitor: Rate | None = None
    agent: Rate | None = None


def limit(
    what: str,
    tries: int,
    seconds: int = 60,
    *,
    pages: str = "",
    api: str = "",
    visitor: int = 0,
) -> Limit:
    """Return the limit of an action: so often a user, more often an address that several share."""
    name = what.replace(" ", "-")
    return Limit(
        what,
        Rate(name, tries, seconds),
        Rate(f"{name}-at-address", ADDRESS_FACTOR * tries, seconds),
        tuple(pages.split()),
        tuple(" ".join(pair) for pair in zip(api.split()[::2], api.split()[1::2], strict=True)),
        Rate(f"{name}-of-visitors", visitor, seconds) if visitor else None,
        Rate(f"{name}-of-agents", tries // AGENT_DIVISOR, seconds),
    )


def anonymous_limit(
    what: str, tries: int, seconds: int, *, pages: str, api: tuple[str, ...] = ()
) -> Limit:
    """Return a limit per address only, for actions before signing in."""
    rate = Rate(what.replace(" ", "-"), tries, seconds)
    return Limit(what, None, rate, tuple(pages.split()), api)


def _add(key: str, seconds: int) -> int:
    """Increment a counter and return it; a local one while Redis is unavailable."""
    if not _cooldown.is_active():
        try:
            with _redis(settings.REDIS_URL).pipeline(transaction=True) as pipeline:
                pipeline.incr(key)
                pipeline.expire(key, seconds)
                return int(pipeline.execute()[0])
        except (redis.RedisError, OSError) as error:
            log.warning("Redis is unavailable, rate limits are counted per process: %r", error)
            _cooldown.begin()
    return _local.add(key, seconds)


def _redis(url: str) -> redis.Redis:
    """Return this process's client, shared by all threads."""
    # Only one is created: discarding a second one would close connections still in use.
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
    """Counters of one process; when there are too many, the oldest are dropped."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._counts: dict[str, tuple[int, float]] = {}  # count and end of the window

    def add(self, key: str, seconds: int) -> int:
        """Increment a counter and return it."""
        now = time.monotonic()
        with self._lock:
            count, end = self._counts.pop(key, (0, now + seconds))
            while self._counts and self._is_over(now):
                del self._counts[next(iter(self._counts))]
            self._counts[key] = (count + 1, end)
            return count + 1

    def _is_over(self, now: float) -> bool:
        """Return whether the least recently incremented counter can be dropped."""
        _, end = next(iter(self._counts.values()))
        return end < now or len(self._counts) >= self._most


class _Cooldown:
    """The time during which an unavailable Redis is not tried again."""

    def __init__(self) -> None:
        self._until = 0.0

    def begin(self) -> None:
        self._until = time.monotonic() + COOLDOWN_SECONDS

    def is_active(self) -> bool:
        return time.monotonic() < self._until


_opening = threading.Lock()
_cooldown = _Cooldown()
_local = LocalCounters(MAX_LOCAL_COUNTERS)
