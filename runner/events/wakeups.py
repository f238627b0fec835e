"""Which words of other processes one event loop hears, as far as Redis lets it."""

import asyncio
import logging
from collections.abc import Callable

from runner.events.topics import Signal, SignalReceiver

log = logging.getLogger(__name__)


class WakeupListener:
    """Hands on all rechecks, and the wake-ups of the topics that were joined.

    Once Redis is found to be away, only `tidy` tries again: nobody else waits for it.
    """

    def __init__(self, heed: Callable[[Signal], None]) -> None:
        self._heed = heed
        self._listener: SignalReceiver | None = None
        self._joined: set[int] = set()
        self._to_join: dict[int, None] = {}
        self._one_at_a_time = asyncio.Lock()
        self._redis_is_away = False
        self._listening: asyncio.Task[None] | None = None

    def has_joined(self, topic_id: int) -> bool:
        return topic_id in self._joined

    async def start(self) -> None:
        """Hear rechecks from now on."""
        if self._listener is None:
            await self._catch_up(None)

    async def join(self, topic_id: int) -> None:
        """Hear of this topic from now on."""
        self._to_join[topic_id] = None
        await self._catch_up(None)

    async def tidy(self, is_followed: Callable[[int], bool]) -> None:
        """Make good what could not be done, and hear no more of topics that nobody follows."""
        await self._catch_up(is_followed)

    async def _catch_up(self, is_followed: Callable[[int], bool] | None) -> None:
        async with self._one_at_a_time:
            if self._redis_is_away and is_followed is None:
                return
            try:
                if self._listener is None:
                    listener = SignalReceiver()
                    await listener.start()
                    self._listener = listener
                    self._listening = asyncio.create_task(self._listen(listener))
                while self._to_join:
                    topic_id = next(iter(self._to_join))
                    await self._listener.join(topic_id)
                    del self._to_join[topic_id]
                    self._joined.add(topic_id)
                if is_followed is not None:
                    await self._leave_all_but(is_followed, self._listener)
            except Exception as error:  # noqa: BLE001 - whatever ails Redis, heads are looked at
                if not self._redis_is_away:
                    log.warning("no wake-ups are heard, heads are looked at: %r", error)
                self._redis_is_away = True
            else:
                self._redis_is_away = False

    async def _leave_all_but(
        self, is_followed: Callable[[int], bool], listener: SignalReceiver
    ) -> None:
        for topic_id in list(self._joined):
            if not is_followed(topic_id):
                self._joined.discard(topic_id)  # first: who follows it meanwhile is to join again
                await listener.leave(topic_id)

    async def _listen(self, listener: SignalReceiver) -> None:
        while True:
            self._heed(await listener.next_word())
