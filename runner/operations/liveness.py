"""Whether any worker can run programs: a key in Redis, renewed by all healthy workers.

The key expires seconds after the last worker has stopped or its sandbox has broken. While Redis is
down, workers are assumed to be alive.
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
# How long a process caches the result, and how long it doesn't try again if Redis doesn't respond.
CACHE_SECONDS = 2.0
RETRY_SECONDS = 10.0


class LivenessHeartbeat:
    """Renews the key while the worker is healthy."""

    def __init__(self, is_healthy: Callable[[], bool]) -> None:
        self._is_healthy = is_healthy
        self._stopping = threading.Event()
        threading.Thread(target=self._renew, name="liveness", daemon=True).start()

    def stop(self) -> None:
        """Stop renewing."""
        self._stopping.set()

    def _renew(self) -> None:
        while not self._stopping.is_set():
            if self._is_healthy():
                try:
                    open_redis().set(KEY, 1, ex=TTL_SECONDS)
                except redis.RedisError as error:
                    log.debug("could not renew the liveness key: %s", error)
            self._stopping.wait(RENEW_SECONDS)


class _WorkerCheck:
    """The cached result; one thread refreshes it while the others use the old one."""

    def __init__(self) -> None:
        self._is_alive = True
        self._due_at = 0.0

    def __call__(self) -> bool:
        now = time.monotonic()
        if now >= self._due_at:
            # Set first, so that no other thread refreshes it too.
            self._due_at = now + RETRY_SECONDS
            self._is_alive = self._query()
        return self._is_alive

    def _query(self) -> bool:
        try:
            is_alive = bool(open_redis().exists(KEY))
        except redis.RedisError:
            return True
        self._due_at = time.monotonic() + CACHE_SECONDS
        return is_alive

    def reset(self) -> None:
        """Refresh at the next call."""
        self._due_at = 0.0


is_any_worker_alive = _WorkerCheck()
