"""Whether any worker can run programs just now: a key in Redis that all of them renew.

A worker that ends, or whose sandbox breaks, renews it no more, and within seconds it is gone. While
Redis is away nobody knows; then nothing is said.
"""

import logging
import threading
import time
from collections.abc import Callable

import redis

from runner.pipelines.doorbell import open_redis

log = logging.getLogger(__name__)

KEY = "socialcode:workers-alive"
RENEW_SECONDS = 2.0
TTL_SECONDS = 8
# How old what a process knows may be; where Redis does not answer it is asked less often.
CACHE_SECONDS = 2.0
RETRY_SECONDS = 10.0


class LivenessHeartbeat:
    """Has it known that this worker runs programs, for as long as it does."""

    def __init__(self, is_sound: Callable[[], bool]) -> None:
        self._is_sound = is_sound
        self._stopping = threading.Event()
        threading.Thread(target=self._beat, name="pulse", daemon=True).start()

    def stop(self) -> None:
        """Say nothing more."""
        self._stopping.set()

    def _beat(self) -> None:
        while not self._stopping.is_set():
            if self._is_sound():
                try:
                    open_redis().set(KEY, 1, ex=TTL_SECONDS)
                except redis.RedisError as error:
                    log.debug("cannot say that this worker is alive: %s", error)
            self._stopping.wait(RENEW_SECONDS)


class _WorkerCheck:
    """What this process knows; one asks at a time, and the others go by what was known before."""

    def __init__(self) -> None:
        self._is_anybody_there = True
        self._due_at = 0.0

    def __call__(self) -> bool:
        now = time.monotonic()
        if now >= self._due_at:
            # Before asking: who comes meanwhile does not wait as well.
            self._due_at = now + RETRY_SECONDS
            self._is_anybody_there = self._ask()
        return self._is_anybody_there

    def _ask(self) -> bool:
        try:
            found = bool(open_redis().exists(KEY))
        except redis.RedisError:
            return True
        self._due_at = time.monotonic() + CACHE_SECONDS
        return found

    def reset(self) -> None:
        """Ask at the next look."""
        self._due_at = 0.0


is_any_worker_alive = _WorkerCheck()
