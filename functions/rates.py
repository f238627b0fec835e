"""Limits on how often something may be tried, counted in Redis by all processes."""

import functools
import hashlib
import logging
import math
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


@dataclass(frozen=True, slots=True)
class Rate:
    """At most `tries` in each window of `seconds`; the windows follow the clock."""

    name: str
    tries: int
    seconds: int

    def count(self, who: str) -> bool:
        """Count a try; say whether it is still within the limit."""
        return self._counted(who, 1) <= self.tries

    def is_reached(self, who: str) -> bool:
        """Say, without counting, whether another try would be one too many."""
        return self._counted(who, 0) >= self.tries

    def retry_after_seconds(self) -> int:
        """Return how long it takes until everybody has all tries again."""
        return max(1, math.ceil(self.seconds - clock() % self.seconds))

    def _counted(self, who: str, more: int) -> int:
        if not settings.RATE_LIMITS or _rest.lasts():
            return 0
        window = int(clock() // self.seconds)
        digest = hashlib.sha256(who.encode("utf-8", "surrogatepass")).hexdigest()
        key = f"rate:{self.name}:{window}:{digest[:32]}"
        try:
            if not more:
                return int(_redis(settings.REDIS_URL).get(key) or 0)
            with _redis(settings.REDIS_URL).pipeline(transaction=False) as pipeline:
                pipeline.incrby(key, more)
                pipeline.expire(key, self.seconds)
                return int(pipeline.execute()[0])
        except (redis.RedisError, OSError) as error:
            # Better a limit too few than a site that is closed while Redis is away.
            log.warning("rate %s is not counted: %r", self.name, error)
            _rest.begin()
            return 0


@functools.cache
def _redis(url: str) -> redis.Redis:
    """Connections that last, for all threads of this process."""
    return redis.Redis.from_url(
        url,
        socket_timeout=REDIS_TIMEOUT_SECONDS,
        socket_connect_timeout=REDIS_TIMEOUT_SECONDS,
        retry=Retry(NoBackoff(), 0),
    )


class _Rest:
    """The while in which a Redis that did not answer is not asked again."""

    def __init__(self) -> None:
        self._until = 0.0

    def begin(self) -> None:
        self._until = time.monotonic() + REST_SECONDS

    def lasts(self) -> bool:
        return time.monotonic() < self._until


_rest = _Rest()
