"""Signals between processes, over the channel layer: wake-ups, rechecks and presence.

A lost signal only causes a delay.
"""

import asyncio
import logging
import os
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from channels.layers import get_channel_layer

log = logging.getLogger(__name__)

WAKE_TIMEOUT_SECONDS = 2.0
RETRY_SECONDS = 5.0
GROUP = "wakeups"  # all processes that serve sockets; each receives every signal


MembersByTopic = Mapping[str, tuple[Sequence[int], int]]  # user ids, and the number of others


class Signal(NamedTuple):
    """A signal from one process to all."""

    topic_ids: Collection[int] = ()  # topics with new events
    user_ids: Collection[int] = ()  # users whose permissions must be checked again
    members: Mapping[str, MembersByTopic] = {}  # present members, by process


class _Sender:
    """Sends signals on its own thread and event loop, so that callers never wait.

    Signals added while one is being sent are sent together.
    """

    def __init__(self) -> None:
        self.pid = os.getpid()
        self._added: asyncio.Queue[Signal] = asyncio.Queue()
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._run, name="wake-ups", daemon=True).start()

    def send(self, signal: Signal) -> None:
        self._loop.call_soon_threadsafe(self._added.put_nowait, signal)

    def _run(self) -> None:
        self._loop.run_until_complete(self._send_all())

    async def _send_all(self) -> None:
        redis_is_away = False
        while True:
            signals = [await self._added.get()]
            while not self._added.empty():
                signals.append(self._added.get_nowait())
            message = {
                "type": "wakeup",
                "topics": list({topic_id for signal in signals for topic_id in signal.topic_ids}),
                "users": list({user_id for signal in signals for user_id in signal.user_ids}),
                "members": {
                    process: each for signal in signals for process, each in signal.members.items()
                },
            }
            try:
                async with asyncio.timeout(WAKE_TIMEOUT_SECONDS):
                    await get_channel_layer().group_send(GROUP, message)
            except Exception as error:  # noqa: BLE001 - followers poll, whatever is wrong
                if not redis_is_away:
                    log.warning("wake-ups can't be sent; followers poll: %r", error)
                redis_is_away = True
            else:
                redis_is_away = False


_sender: _Sender | None = None
_sender_lock = threading.Lock()


def wake_followers(topic_ids: Iterable[int]) -> None:
    """Signal new events of these topics to their followers in all processes.

    Returns at once and never raises; may be called from any thread. If the signal is lost, the
    followers get the events seconds later.
    """
    _send(Signal(topic_ids=list(topic_ids)))


def recheck_user(user_id: int) -> None:
    """Signal all sockets of this user, in all processes, to check their permissions again.

    Call it after the commit. Returns at once and never raises; may be called from any thread. If
    the signal is lost, sockets recheck within a minute.
    """
    _send(Signal(user_ids=[user_id]))


def share_members(process: str, members: MembersByTopic) -> None:
    """Send the members present in this process to all processes.

    Returns at once and never raises. If the signal is lost, the next one replaces it.
    """
    _send(Signal(members={process: members}))


def _send(signal: Signal) -> None:
    global _sender  # noqa: PLW0603 - one per process, created on first use
    with _sender_lock:
        if _sender is None or _sender.pid != os.getpid():  # a fork doesn't copy the thread
            _sender = _Sender()
    _sender.send(signal)


class WakeupListener:
    """Calls `on_signal` with the signals of all processes, on one event loop.

    Signals sent while Redis is down are lost; the channel layer subscribes again afterwards.
    """

    def __init__(self, on_signal: Callable[[Signal], None]) -> None:
        self._on_signal = on_signal
        self._has_tried = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Start listening; returns within two seconds, even if Redis is down. Idempotent."""
        if self._task is None:
            self._task = asyncio.create_task(self._listen())
        await self._has_tried.wait()

    async def _listen(self) -> None:
        layer, channel, is_subscribed = get_channel_layer(), "", False
        while not is_subscribed:
            try:
                async with asyncio.timeout(WAKE_TIMEOUT_SECONDS):
                    channel = channel or await layer.new_channel()
                    await layer.group_add(GROUP, channel)
                is_subscribed = True
            except Exception as error:  # noqa: BLE001 - heads are polled, whatever is wrong
                if not self._has_tried.is_set():
                    log.warning("wake-ups can't be received; heads are polled: %r", error)
                self._has_tried.set()
                await asyncio.sleep(RETRY_SECONDS)
        self._has_tried.set()
        while True:
            message = await layer.receive(channel)
            self._on_signal(Signal(message["topics"], message["users"], message["members"]))
