"""Limits on how often something may be tried, counted in the shared cache."""

import hashlib
import logging
import math
import time
from dataclasses import dataclass

from django.conf import settings
from django.core.cache import cache
from redis.exceptions import RedisError

log = logging.getLogger(__name__)

# One for all processes, so that they count in the same windows.
clock = time.time

# A cache that does not answer costs its timeout; one request in this while is enough to notice.
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
                return int(cache.get(key, 0))
            cache.add(key, 0, self.seconds)
            return int(cache.incr(key, more))
        except (RedisError, OSError, ValueError) as error:
            # Better a limit too few than a site that is closed while its cache is away.
            log.warning("rate %s is not counted: %r", self.name, error)
            _rest.begin()
            return 0


class _Rest:
    """The while in which a cache that did not answer is not asked again."""

    def __init__(self) -> None:
        self._until = 0.0

    def begin(self) -> None:
        self._until = time.monotonic() + REST_SECONDS

    def lasts(self) -> bool:
        return time.monotonic() < self._until


_rest = _Rest()
