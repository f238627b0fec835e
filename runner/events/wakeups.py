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

    def __init__(self, on_signal: Callable[[Signal], None]) -> None:
        self._on_signal = on_signal
        self._listener: SignalReceiver | None = None
        self._subscribed: set[int] = set()
        self._to_subscribe: dict[int, None] = {}
        self._lock = asyncio.Lock()
        self._redis_is_away = False
        self._task: asyncio.Task[None] | None = None

    def is_subscribed(self, topic_id: int) -> bool:
        return topic_id in self._subscribed

    async def start(self) -> None:
        """Hear rechecks from now on."""
        if self._listener is None:
            await self._catch_up(None)

    async def subscribe(self, topic_id: int) -> None:
        """Hear of this topic from now on."""
        self._to_subscribe[topic_id] = None
        await self._catch_up(None)

    async def refresh(self, is_followed: Callable[[int], bool]) -> None:
        """Make good what could not be done, and hear no more of topics that nobody follows."""
        await self._catch_up(is_followed)

    async def _catch_up(self, is_followed: Callable[[int], bool] | None) -> None:
        async with self._lock:
            if self._redis_is_away and is_followed is None:
                return
            try:
                if self._listener is None:
                    listener = SignalReceiver()
                    await listener.start()
                    self._listener = listener
                    self._task = asyncio.create_task(self._listen(listener))
                while self._to_subscribe:
                    topic_id = next(iter(self._to_subscribe))
                    await self._listener.subscribe(topic_id)
                    del self._to_subscribe[topic_id]
                    self._subscribed.add(topic_id)
                if is_followed is not None:
                    await self._unsubscribe_unless(is_followed, self._listener)
            except Exception as error:  # noqa: BLE001 - whatever ails Redis, heads are looked at
                if not self._redis_is_away:
                    log.warning("no wake-ups are heard, heads are looked at: %r", error)
                self._redis_is_away = True
            else:
                self._redis_is_away = False

    async def _unsubscribe_unless(
        self, is_followed: Callable[[int], bool], listener: SignalReceiver
    ) -> None:
        for topic_id in list(self._subscribed):
            if not is_followed(topic_id):
                self._subscribed.discard(
                    topic_id
                )  # first: who follows it meanwhile is to join again
                await listener.unsubscribe(topic_id)

    async def _listen(self, listener: SignalReceiver) -> None:
        while True:
            self._on_signal(await listener.next_signal())
