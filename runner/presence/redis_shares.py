"""Exchanges members between processes: one key in Redis for each process.

The key is a lease: it is rewritten every second and expires some seconds after its process ended.
Nothing is updated in place, so a flushed Redis is complete again after the next write. The number
of commands depends only on the number of processes.
"""

import asyncio
import secrets
from types import TracebackType
from typing import Self

import redis.asyncio
from django.conf import settings
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

PROCESSES = "socialcode:presence"  # the set of all processes that may be alive
LEASE_SECONDS = 12.0
TIMEOUT_SECONDS = 2.0

# What a Redis that is away, busy or starting raises.
REDIS_AWAY = (RedisError, OSError, TimeoutError)


class RedisPresence:
    """This process's key, and those of the others; an async context manager."""

    def __init__(self) -> None:
        self._id = secrets.token_hex(8)
        self._redis = redis.asyncio.Redis.from_url(
            settings.REDIS_URL, decode_responses=True, retry=Retry(NoBackoff(), 0)
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        """Delete the key, so that nobody has to wait for its expiry."""
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                await self._redis.delete(_key(self._id))
        except REDIS_AWAY:
            pass  # the key expires
        finally:
            await self._redis.aclose()

    async def exchange(self, text: str) -> dict[str, str]:
        """Write this process's text; return the texts of the others, by process.

        Raises one of REDIS_AWAY within TIMEOUT_SECONDS.
        """
        async with asyncio.timeout(TIMEOUT_SECONDS):
            pipeline = self._redis.pipeline(transaction=False)
            pipeline.set(_key(self._id), text, px=round(LEASE_SECONDS * 1_000))
            pipeline.sadd(PROCESSES, self._id)
            pipeline.pexpire(PROCESSES, round(LEASE_SECONDS * 1_000))
            pipeline.smembers(PROCESSES)
            others = sorted((await pipeline.execute())[-1] - {self._id})
            texts = await self._redis.mget([_key(other) for other in others]) if others else []
            gone = [other for other, text in zip(others, texts, strict=True) if text is None]
            if gone:  # a process that was only delayed adds itself again
                await self._redis.srem(PROCESSES, *gone)
        return {other: str(text) for other, text in zip(others, texts, strict=True) if text}


def _key(process: str) -> str:
    return f"{PROCESSES}:{process}"
