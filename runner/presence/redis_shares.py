"""What the processes tell one another of who follows what: one key in Redis for each process.

The key is a lease: it is written anew every second and vanishes some seconds after its process,
with all who were connected to it. Nothing is changed in place, so an emptied Redis is whole again
with the next write; and how many commands that takes depends on the processes alone.
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

PROCESSES = "socialcode:presence"  # the set of all processes that may be there
LEASE_SECONDS = 12.0
TIMEOUT_SECONDS = 2.0

# What a Redis that is away, busy or starting raises.
REDIS_AWAY = (RedisError, OSError, TimeoutError)


class RedisPresence:
    """This process among the others, for as long as the `async with` lasts."""

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
        """Take back what we said: nobody has to wait for a lease that ends in an orderly way."""
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                await self._redis.delete(_key(self._id))
        except REDIS_AWAY:
            pass  # the lease runs out
        finally:
            await self._redis.aclose()

    async def exchange(self, text: str) -> dict[str, str]:
        """Say `own` until the lease runs out; return what others say, by process.

        Raises one of REDIS_AWAY, within TIMEOUT_SECONDS.
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
            if gone:  # one that was only held up signs on again
                await self._redis.srem(PROCESSES, *gone)
        return {other: str(text) for other, text in zip(others, texts, strict=True) if text}


def _key(process: str) -> str:
    return f"{PROCESSES}:{process}"
