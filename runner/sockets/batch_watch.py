"""Watches open batches for requests that wait for their end: one query at a time for all."""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Collection
from weakref import WeakKeyDictionary

from runner.events.wakeups import Signal
from runner.models import Batch
from runner.sockets.subscriptions import POLL_SECONDS, subscription_manager
from runner.sockets.topic_log import query
from runner.states import BatchState

log = logging.getLogger(__name__)

# Between two looks; the topic of a large batch has many events.
PAUSE_SECONDS = 0.1

Waiting = asyncio.Future[None]


class BatchWatch:
    """The batches that requests of one event loop wait for. Wake-ups and polls tell of their ends.

    Nobody holds a thread or a database connection while waiting.
    """

    def __init__(self) -> None:
        self._waiting: defaultdict[int, set[Waiting]] = defaultdict(set)  # by batch
        self._topics: dict[int, int] = {}  # of these batches
        self._due: set[int] = set()  # batches to be looked at
        self._looking: asyncio.Task[None] | None = None
        self._is_stopping = False

    async def wait(self, batch_id: int, seconds: float) -> None:
        """Return when the batch has ended, after so many seconds, or when the process stops."""
        if self._is_stopping:
            return
        await subscription_manager().listen(self._on_signal)
        future: Waiting = asyncio.get_running_loop().create_future()
        self._waiting[batch_id].add(future)
        self._look_soon([batch_id])
        try:
            await asyncio.wait([future], timeout=seconds)
        finally:
            future.cancel()
            self._waiting[batch_id].discard(future)
            if not self._waiting[batch_id]:
                del self._waiting[batch_id]
                self._topics.pop(batch_id, None)

    def stop(self) -> None:
        """Let nobody wait any longer."""
        self._is_stopping = True
        self._release([*self._waiting])

    def _on_signal(self, signal: Signal) -> None:
        topics = {*signal.topic_ids}
        self._look_soon([batch for batch, topic in self._topics.items() if topic in topics])

    def _look_soon(self, batch_ids: Collection[int]) -> None:
        self._due.update(batch_ids)
        if self._due and self._looking is None:
            self._looking = asyncio.create_task(self._look())

    async def _look(self) -> None:
        """Look at the batches that are due, and at all from time to time, while any is awaited."""
        loop = asyncio.get_running_loop()
        poll_at = loop.time() + POLL_SECONDS
        try:
            while self._waiting:
                if loop.time() >= poll_at:
                    self._due.update(self._waiting)
                    poll_at = loop.time() + POLL_SECONDS
                wanted = [*self._due & self._waiting.keys()]
                self._due.clear()
                if wanted:
                    await self._look_at(wanted)
                await asyncio.sleep(PAUSE_SECONDS)
        finally:
            self._looking = None

    async def _look_at(self, batch_ids: list[int]) -> None:
        try:
            topics = await query(_topics_of_open, batch_ids)
        except Exception as error:  # noqa: BLE001 - the next poll looks again
            log.warning("batches can't be watched: %r", error)
            return
        self._topics |= {pk: topic for pk, topic in topics.items() if pk in self._waiting}
        self._release([pk for pk in batch_ids if pk not in topics])

    def _release(self, batch_ids: Collection[int]) -> None:
        for batch_id in batch_ids:
            for future in self._waiting.get(batch_id, ()):
                if not future.done():
                    future.set_result(None)


def _topics_of_open(batch_ids: Collection[int]) -> dict[int, int]:
    """Return the topics of those that are open, by batch."""
    found = Batch.objects.filter(pk__in=batch_ids, state=BatchState.OPEN)
    return dict(found.values_list("pk", "topic_id"))


_watches: WeakKeyDictionary[asyncio.AbstractEventLoop, BatchWatch] = WeakKeyDictionary()


def batch_watch() -> BatchWatch:
    """Return the watch of the running event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _watches:
        _watches[loop] = BatchWatch()
    return _watches[loop]
