"""Wake-up signals between processes, over the channel layer; lost ones only cost time."""

import asyncio
import logging
import os
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from channels.layers import get_channel_layer

log = logging.getLogger(__name__)

WAKE_TIMEOUT_SECONDS = 2.0
RECHECKS = "rechecks"  # the group of all processes that serve sockets


def group_name(topic_id: int) -> str:
    """Return the group that is signalled when the topic has new events."""
    return f"topic.{topic_id}"


class Wake(NamedTuple):
    """The signal that a topic has new events."""

    topic_id: int

    @property
    def group(self) -> str:
        return group_name(self.topic_id)

    @property
    def message(self) -> dict[str, Any]:
        return {"type": "wake", "topic": self.topic_id}


class Recheck(NamedTuple):
    """The signal that a user may be signed out now, or may see less than before."""

    user_id: int

    @property
    def group(self) -> str:
        return RECHECKS

    @property
    def message(self) -> dict[str, Any]:
        return {"type": "recheck", "user": self.user_id}


Signal = Wake | Recheck


class _SignalSender:
    """Sends signals from an event loop of its own, so that any thread can call it without waiting.

    A signal that is added again while it is being sent is sent once more.
    """

    def __init__(self) -> None:
        self.pid = os.getpid()
        self._pending: set[Signal] = set()
        self._sending = False
        self._redis_is_away = False
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, name="wake-ups", daemon=True).start()

    def send(self, signals: Sequence[Signal]) -> None:
        self._loop.call_soon_threadsafe(self._add, signals)

    def _add(self, signals: Sequence[Signal]) -> None:
        self._pending.update(signals)
        if not self._sending:
            self._sending = True
            self._task = self._loop.create_task(self._send_pending())

    async def _send_pending(self) -> None:
        try:
            while self._pending:
                signals, self._pending = self._pending, set()
                await self._send(signals)
        finally:
            self._sending = False

    async def _send(self, signals: set[Signal]) -> None:
        layer = get_channel_layer()
        if layer is None:
            return
        try:
            async with asyncio.timeout(WAKE_TIMEOUT_SECONDS):
                for signal in signals:
                    await layer.group_send(signal.group, signal.message)
        except Exception as error:  # noqa: BLE001 - whatever is wrong with Redis, followers poll
            if not self._redis_is_away:
                log.warning("wake-ups can't be sent; followers poll every few seconds: %r", error)
            self._redis_is_away = True
        else:
            self._redis_is_away = False


class SignalReceiver:
    """Receives all rechecks and the wake-ups of subscribed topics, for one event loop.

    While Redis is away, `start` and `subscribe` raise within two seconds; the layer renews existing
    subscriptions when Redis is back.
    """

    def __init__(self) -> None:
        self._layer = get_channel_layer()
        self._channel = ""

    async def start(self) -> None:
        async with asyncio.timeout(WAKE_TIMEOUT_SECONDS):
            self._channel = await self._layer.new_channel()
            await self._layer.group_add(RECHECKS, self._channel)

    async def subscribe(self, topic_id: int) -> None:
        async with asyncio.timeout(WAKE_TIMEOUT_SECONDS):
            await self._layer.group_add(group_name(topic_id), self._channel)

    async def unsubscribe(self, topic_id: int) -> None:
        async with asyncio.timeout(WAKE_TIMEOUT_SECONDS):
            await self._layer.group_discard(group_name(topic_id), self._channel)

    async def next_signal(self) -> Signal:
        message = await self._layer.receive(self._channel)
        if message["type"] == "recheck":
            return Recheck(int(message["user"]))
        return Wake(int(message["topic"]))


_sender: _SignalSender | None = None
_sender_lock = threading.Lock()


def wake_followers(topic_ids: Iterable[int]) -> None:
    """Signal all followers of these topics, in every process, that there are new events.

    Returns at once, from any thread, and never raises: a lost signal only delays its followers by
    seconds.
    """
    _send_signals([Wake(topic_id) for topic_id in topic_ids])


def recheck_user(user_id: int) -> None:
    """Have all sockets of this user, in every process, check their permissions again.

    To be called after the commit. Returns at once, from any thread, and never raises: sockets that
    a lost signal does not reach recheck within a minute.
    """
    _send_signals([Recheck(user_id)])


def _send_signals(signals: Sequence[Signal]) -> None:
    global _sender  # noqa: PLW0603 - one per process, created on first use
    if not signals:
        return
    with _sender_lock:
        if _sender is None or _sender.pid != os.getpid():  # a fork has no thread to run the loop
            _sender = _SignalSender()
    _sender.send(signals)


class WakeupListener:
    """Calls `on_signal` for all rechecks and for the wake-ups of subscribed topics.

    Once Redis is found to be away, only `refresh` tries again: nobody else waits for it.
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
        """Receive rechecks from now on."""
        if self._listener is None:
            await self._catch_up(None)

    async def subscribe(self, topic_id: int) -> None:
        """Receive this topic's wake-ups from now on."""
        self._to_subscribe[topic_id] = None
        await self._catch_up(None)

    async def refresh(self, is_followed: Callable[[int], bool]) -> None:
        """Retry what has failed, and unsubscribe from topics that nobody follows."""
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
            except Exception as error:  # noqa: BLE001 - whatever is wrong with Redis, heads are polled
                if not self._redis_is_away:
                    log.warning("wake-ups can't be received; heads are polled: %r", error)
                self._redis_is_away = True
            else:
                self._redis_is_away = False

    async def _unsubscribe_unless(
        self, is_followed: Callable[[int], bool], listener: SignalReceiver
    ) -> None:
        for topic_id in list(self._subscribed):
            if not is_followed(topic_id):
                # First, because a new follower must subscribe again.
                self._subscribed.discard(topic_id)
                await listener.unsubscribe(topic_id)

    async def _listen(self, listener: SignalReceiver) -> None:
        while True:
            self._on_signal(await listener.next_signal())
