"""`queue` and the locks of `threading` for the one thread that there is.

Who waits lets threads run that have been started; what then isn't there will never be.
"""

from __future__ import annotations

import collections
import heapq
import threading
import time
from collections.abc import Callable
from typing import Any, Self

_FOR_EVER = (
    "would wait for ever: a program has one thread; those that it starts run one after another"
)

# Threads that have been started, and wait for somebody to wait.
started: collections.deque[Callable[[], None]] = collections.deque()


class Deadlock(RuntimeError):
    """What one waits for will never be."""


def wait(ready: Callable[[], Any], timeout: float | None = None, *, block: bool = True) -> Any:
    """Whether it is so, after all others have had their turn."""
    while not (is_ready := ready()) and block and started:
        started.popleft()()
    if is_ready or not block:
        return is_ready
    if timeout is None:
        raise Deadlock(_FOR_EVER)
    if timeout < 0:
        raise ValueError("'timeout' must be a non-negative number")
    time.sleep(timeout)
    return ready()


def sleep(seconds: float, /) -> None:
    """time.sleep."""
    while started:
        started.popleft()()
    time.sleep(seconds)


class Empty(Exception):
    """queue.Empty."""


class Full(Exception):
    """queue.Full."""


class Queue:
    """queue.Queue; what can't be had at once will not be there later."""

    def __init__(self, maxsize: int = 0) -> None:
        self.maxsize = maxsize
        self.unfinished_tasks = 0
        self._init(maxsize)

    def _init(self, _maxsize: int) -> None:
        self.queue: Any = collections.deque()

    def _qsize(self) -> int:
        return len(self.queue)

    def _put(self, item: Any) -> None:
        self.queue.append(item)

    def _get(self) -> Any:
        return self.queue.popleft()

    def qsize(self) -> int:
        return self._qsize()

    def empty(self) -> bool:
        return not self._qsize()

    def full(self) -> bool:
        return 0 < self.maxsize <= self._qsize()

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        if not wait(lambda: not self.full(), timeout, block=block):
            raise Full
        self._put(item)
        self.unfinished_tasks += 1

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        if not wait(self._qsize, timeout, block=block):
            raise Empty
        return self._get()

    def put_nowait(self, item: Any) -> None:
        self.put(item, block=False)

    def get_nowait(self) -> Any:
        return self.get(block=False)

    def task_done(self) -> None:
        if self.unfinished_tasks < 1:
            raise ValueError("task_done() called too many times")
        self.unfinished_tasks -= 1

    def join(self) -> None:
        wait(lambda: not self.unfinished_tasks)


class LifoQueue(Queue):
    """queue.LifoQueue."""

    def _init(self, _maxsize: int) -> None:
        self.queue = []

    def _get(self) -> Any:
        return self.queue.pop()


class PriorityQueue(Queue):
    """queue.PriorityQueue."""

    def _init(self, _maxsize: int) -> None:
        self.queue = []

    def _put(self, item: Any) -> None:
        heapq.heappush(self.queue, item)

    def _get(self) -> Any:
        return heapq.heappop(self.queue)


class SimpleQueue(Queue):
    """queue.SimpleQueue."""

    def __init__(self) -> None:
        super().__init__()


class Lock:
    """threading.Lock, which only its own thread could ever release."""

    _most = 1

    def __init__(self) -> None:
        self._held = 0

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        seconds = None if timeout == -1 else timeout
        if not wait(lambda: self._held < self._most, seconds, block=blocking):
            return False
        self._held += 1
        return True

    def release(self) -> None:
        if not self._held:
            raise RuntimeError("release unlocked lock")
        self._held -= 1

    def locked(self) -> bool:
        return self._held > 0

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_error: object) -> None:
        self.release()


class RLock(Lock):
    """threading.RLock."""

    _most = 1 << 60


class Semaphore(Lock):
    """threading.Semaphore."""

    def __init__(self, value: int = 1) -> None:
        if value < 0:
            raise ValueError("semaphore initial value must be >= 0")
        super().__init__()
        self._most = value

    def release(self, n: int = 1) -> None:
        self._held -= n


class BoundedSemaphore(Semaphore):
    """threading.BoundedSemaphore."""

    def release(self, n: int = 1) -> None:
        if self._held < n:
            raise ValueError("Semaphore released too many times")
        super().release(n)


class Event:
    """threading.Event."""

    def __init__(self) -> None:
        self._set = False

    def is_set(self) -> bool:
        return self._set

    def set(self) -> None:
        self._set = True

    def clear(self) -> None:
        self._set = False

    def wait(self, timeout: float | None = None) -> bool:
        return bool(wait(self.is_set, timeout))


class Condition:
    """threading.Condition."""

    def __init__(self, lock: Any = None) -> None:
        self._lock = RLock() if lock is None else lock
        self.acquire = self._lock.acquire
        self.release = self._lock.release
        self._notices = 0

    def __enter__(self) -> Self:
        self._lock.acquire()
        return self

    def __exit__(self, *_error: object) -> None:
        self._lock.release()

    def wait(self, timeout: float | None = None) -> bool:
        before = self._notices
        return bool(self.wait_for(lambda: self._notices > before, timeout))

    def wait_for(self, predicate: Any, timeout: float | None = None) -> Any:
        result = predicate()
        if not result:
            self.release()
            try:
                result = wait(predicate, timeout)
            finally:
                self.acquire()
        return result

    def notify(self, n: int = 1) -> None:  # noqa: ARG002
        self._notices += 1

    def notify_all(self) -> None:
        self._notices += 1


QUEUES: dict[str, Any] = {
    "Queue": Queue,
    "LifoQueue": LifoQueue,
    "PriorityQueue": PriorityQueue,
    "SimpleQueue": SimpleQueue,
    "Empty": Empty,
    "Full": Full,
}
THREADING: dict[str, Any] = {
    "Lock": Lock,
    "RLock": RLock,
    "Condition": Condition,
    "Event": Event,
    "Semaphore": Semaphore,
    "BoundedSemaphore": BoundedSemaphore,
    "local": threading.local,
}
