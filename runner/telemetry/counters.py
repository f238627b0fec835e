"""Counters and histograms of all processes, summed in Redis; flushing Redis resets them.

Counting uses no network: a thread in each process publishes its counts once a second.
"""

import atexit
import bisect
import json
import logging
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence

import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

from runner.telemetry.families import SUM, Family

log = logging.getLogger(__name__)

HASH = "socialcode:counters"
GATHER_SECONDS = 1.0
REDIS_TIMEOUT_SECONDS = 0.5

# By family and series.
Counted = Mapping[tuple[str, str], float]


class Counters:
    """This process's counts that are not in Redis yet."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._publishing = threading.Lock()
        self._pending: dict[tuple[str, str], float] = {}
        self._has_pending = threading.Event()
        self._thread: threading.Thread | None = None
        self._redis: redis.Redis | None = None

    def add(self, counts: Counted) -> None:
        """Add these counts, by (name, label). Thread-safe; doesn't block."""
        with self._lock:
            self._add(counts)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="counters", daemon=True)
                self._thread.start()
                atexit.register(self.publish)
        self._has_pending.set()

    def publish(self) -> bool:
        """Add the counts to those in Redis; on failure keep them and return false."""
        with self._publishing:
            with self._lock:
                counts, self._pending = self._pending, {}
            if not counts:
                return True
            try:
                with self.client.pipeline(transaction=True) as pipeline:
                    for series, number in counts.items():
                        pipeline.hincrbyfloat(HASH, json.dumps(series), number)
                    pipeline.execute()
            except redis.RedisError as error:
                log.debug("counters could not be published: %s", error)
                with self._lock:
                    self._add(counts)
                return False
            return True

    def read(self) -> Counted:
        """Return the counts of all processes; raises `redis.RedisError`."""
        self.publish()
        counts = {}
        for series, number in self.client.hgetall(HASH).items():
            name, label = json.loads(series)
            counts[name, label] = float(number)
        return counts

    @property
    def client(self) -> redis.Redis:
        """The Redis client, with a short timeout."""
        if self._redis is None:
            self._redis = redis.Redis.from_url(
                settings.REDIS_URL,
                socket_timeout=REDIS_TIMEOUT_SECONDS,
                socket_connect_timeout=REDIS_TIMEOUT_SECONDS,
                retry=Retry(NoBackoff(), 0),
            )
        return self._redis

    def _add(self, counts: Counted) -> None:
        for series, number in counts.items():
            self._pending[series] = self._pending.get(series, 0) + number

    def _work(self) -> None:
        while self._has_pending.wait():
            time.sleep(GATHER_SECONDS)
            self._has_pending.clear()
            if not self.publish():
                self._has_pending.set()


counters = Counters()


def count(family: Family, series: str, by: int = 1) -> None:
    """Count an event; call it after the commit."""
    if by:
        counters.add({(family.name, series): by})


def observe(family: Family, values: Sequence[float], series: str = "") -> None:
    """Add these values to a histogram."""
    if not values:
        return
    prefix = f"{series} " if series else ""
    counts: Counter[tuple[str, str]] = Counter()
    for value in values:
        bucket = family.buckets[bisect.bisect_left(family.bounds, value)]
        counts[family.name, f"{prefix}{bucket}"] += 1
    counters.add({**counts, (family.name, f"{prefix}{SUM}"): sum(values)})
