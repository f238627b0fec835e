"""The event loop of programs, without descriptors; another loop can run it step by step."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
from asyncio import _get_running_loop, _set_running_loop
from collections.abc import Callable, Iterator
from typing import Any


class _Pause(BaseException):
    """The end of a step; the argument is the delay of the next one."""


class EventLoop(asyncio.BaseEventLoop):
    """An event loop with callbacks, timers and threads only.

    `on_ready` is called when something becomes ready between steps.
    """

    def __init__(self, on_ready: Callable[[], object] = lambda: None) -> None:
        self._is_entered = False
        super().__init__()
        # The base class calls `select` on it.
        self._selector = self
        self._on_ready = on_ready
        self._is_told = False
        self._steps: int | None = None
        self._wakeup = threading.Event()

    def __del__(self, _warn: object = None) -> None:
        # Nothing must be closed, so there is no warning.
        if not self.is_closed():
            self.close()

    def step(self) -> float | None:
        """Run ready callbacks; return the seconds until the next are due, None if none are."""
        if _get_running_loop() is not None:
            return None
        self._is_told = False
        self._steps = 1
        delay: float | None = 0
        try:
            self.run_forever()
        except _Pause as pause:
            delay = pause.args[0]
        except (SystemExit, KeyboardInterrupt):
            pass  # raised by a task, which has stored it
        finally:
            self._steps = None
        # A thread may have added a callback since the loop has checked.
        return 0 if self._wakeup.is_set() else delay

    @contextlib.contextmanager
    def entered(self) -> Iterator[None]:
        """Make this the running loop in the block, without running callbacks."""
        hooks = sys.get_asyncgen_hooks()
        sys.set_asyncgen_hooks(
            self._asyncgen_firstiter_hook,  # type: ignore[attr-defined]
            self._asyncgen_finalizer_hook,  # type: ignore[attr-defined]
        )
        _set_running_loop(self)
        self._is_entered = True
        try:
            yield
        finally:
            self._is_entered = False
            _set_running_loop(None)
            sys.set_asyncgen_hooks(*hooks)

    def is_running(self) -> bool:
        return self._is_entered or super().is_running()

    def _tell(self, made: Any = None) -> Any:
        if self._steps is None and not self._is_told and not super().is_running():
            self._is_told = True
            self._on_ready()
        return made

    def call_soon(self, *args: Any, **keywords: Any) -> Any:  # type: ignore[override]
        return self._tell(super().call_soon(*args, **keywords))

    def call_at(self, *args: Any, **keywords: Any) -> Any:  # type: ignore[override]
        return self._tell(super().call_at(*args, **keywords))

    def select(self, timeout: float | None) -> list[Any]:
        """Wait until a callback is ready; in a step, end the step instead."""
        if self._steps is None:
            self._wakeup.wait(timeout)
        elif self._steps:
            self._steps -= 1
        else:
            raise _Pause(timeout)
        self._wakeup.clear()
        return []

    def _process_events(self, event_list: list[Any]) -> None:
        """Do nothing: there are no events."""

    def _write_to_self(self) -> None:
        self._wakeup.set()
        self._tell()


class _Policy(asyncio.DefaultEventLoopPolicy):
    def new_event_loop(self) -> EventLoop:
        return EventLoop()


def install() -> None:
    """Make `asyncio.run`, runners and tests use this loop."""
    asyncio.set_event_loop_policy(_Policy())
    vars(asyncio)["SelectorEventLoop"] = EventLoop
