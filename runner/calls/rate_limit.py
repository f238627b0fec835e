"""How often one owner may make calls."""

import math
import time
from collections import Counter

from runner.calls.frames import RateLimited

SECONDS = 60
clock = time.monotonic


class RateLimit:
    """At most `per_minute` calls per owner and minute. All calls of a machine pass one instance."""

    def __init__(self, per_minute: int | None) -> None:
        self._per_minute = per_minute
        self._minute = 0.0
        self._counts: Counter[str] = Counter()

    def count(self, owner: str) -> None:
        """Count a call; raises RateLimited if it is one too many."""
        minute, passed = divmod(clock(), SECONDS)
        if minute != self._minute:
            self._minute = minute
            self._counts.clear()
        self._counts[owner] += 1
        if self._per_minute is not None and self._counts[owner] > self._per_minute:
            raise RateLimited(math.ceil(SECONDS - passed))
