"""Whether any worker can run programs: a key in Redis that all of them renew.

The key of a worker that stops or whose sandbox breaks expires within seconds. While Redis is away,
workers are assumed to be alive.
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
# How long a process caches the answer, and how long it waits when Redis doesn't answer.
CACHE_SECONDS = 2.0
RETRY_SECONDS = 10.0


class LivenessHeartbeat:
    """Renews the key while the worker is healthy."""

    def __init__(self, is_sound: Callable[[], bool]) -> None:
        self._is_sound = is_sound
        self._stopping = threading.Event()
        threading.Thread(target=self._beat, name="pulse", daemon=True).start()

    def stop(self) -> None:
        """Stop renewing."""
        self._stopping.set()

    def _beat(self) -> None:
        while not self._stopping.is_set():
            if self._is_sound():
                try:
                    open_redis().set(KEY, 1, ex=TTL_SECONDS)
                except redis.RedisError as error:
                    log.debug("could not renew the liveness key: %s", error)
            self._stopping.wait(RENEW_SECONDS)


class _WorkerCheck:
    """The cached answer; one thread refreshes it while the others use the old one."""

    def __init__(self) -> None:
        self._is_anybody_there = True
        self._due_at = 0.0

    def __call__(self) -> bool:
        now = time.monotonic()
        if now >= self._due_at:
            # Set first, so that no other thread refreshes it too.
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
        """Refresh at the next call."""
        self._due_at = 0.0


is_any_worker_alive = _WorkerCheck()
