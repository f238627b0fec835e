"""Event loops without descriptors: nothing comes from outside, so they wait for threads alone."""

from __future__ import annotations

import asyncio
import selectors
import threading
from collections.abc import Mapping
from typing import Any, NoReturn


class _Selector(selectors.BaseSelector):
    """Waits until it is woken, or the time is over; there is nothing to select from."""

    def __init__(self) -> None:
        self._woken = threading.Event()

    def register(self, fileobj: Any, events: int, data: Any = None) -> NoReturn:  # noqa: ARG002
        raise PermissionError("programs reach neither files nor network")

    def unregister(self, fileobj: Any) -> NoReturn:
        raise KeyError(fileobj)

    def select(self, timeout: float | None = None) -> list[Any]:
        if timeout is None or timeout > 0:
            self._woken.wait(timeout)
        self._woken.clear()
        return []

    def get_map(self) -> Mapping[Any, Any]:
        return {}

    def wake(self) -> None:
        """Let `select` return, now or when it is called next."""
        self._woken.set()


class EventLoop(asyncio.SelectorEventLoop):
    """The standard loop on such a selector."""

    def __init__(self) -> None:
        self._waiting = _Selector()
        super().__init__(self._waiting)

    def _make_self_pipe(self) -> None:
        """There is none: `_write_to_self` wakes the selector."""

    def _close_self_pipe(self) -> None:
        """There is none."""

    def _write_to_self(self) -> None:
        self._waiting.wake()


class EventLoopPolicy(asyncio.DefaultEventLoopPolicy):
    """Has everything that asks for a loop get one of these."""

    _loop_factory = EventLoop


def install() -> None:
    """Have `asyncio.run`, runners and tests use such loops."""
    asyncio.set_event_loop_policy(EventLoopPolicy())
    vars(asyncio)["SelectorEventLoop"] = EventLoop
