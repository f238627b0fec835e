"""asyncio without a system below it: the real tasks and locks on a loop that only sleeps."""

from __future__ import annotations

import collections
import heapq
import sys
import time
import weakref
from typing import Any, NoReturn, Self

from runner.sandbox import exhaustion
from runner.sandbox.guards import Forbidden
from runner.sandbox.standins import running, streams
from runner.sandbox.standins.parts import import_parts

package: Any = import_parts()
events: Any = sys.modules["asyncio.events"]
tasks: Any = sys.modules["asyncio.tasks"]


class Loop(events.AbstractEventLoop):  # type: ignore[misc]
    """An event loop that knows callbacks, timers and nothing else."""

    def __init__(self) -> None:
        self._ready: collections.deque[Any] = collections.deque()
        self._timers: list[Any] = []
        self._running = self._stopping = self._closed = False
        self._generators: weakref.WeakSet[Any] = weakref.WeakSet()
        self._handler: Any = None

    def time(self) -> float:
        return time.monotonic()

    def get_debug(self) -> bool:
        return False

    def set_debug(self, enabled: bool) -> None:
        """There is nothing to debug that the trace of a run doesn't show."""

    def is_running(self) -> bool:
        return self._running

    def is_closed(self) -> bool:
        return self._closed

    def call_soon(self, callback: Any, *args: Any, context: Any = None) -> Any:
        self._check_open()
        handle = events.Handle(callback, args, self, context)
        self._ready.append(handle)
        return handle

    call_soon_threadsafe = call_soon

    def call_later(self, delay: float, callback: Any, *args: Any, context: Any = None) -> Any:
        return self.call_at(self.time() + delay, callback, *args, context=context)

    def call_at(self, when: float, callback: Any, *args: Any, context: Any = None) -> Any:
        self._check_open()
        timer = events.TimerHandle(when, callback, args, self, context)
        heapq.heappush(self._timers, timer)
        return timer

    def _timer_handle_cancelled(self, handle: Any) -> None:
        """A cancelled timer is dropped when its time has come."""

    def create_future(self) -> Any:
        return package.Future(loop=self)

    def create_task(self, coro: Any, *, name: str | None = None, context: Any = None) -> Any:
        self._check_open()
        task = package.Task(coro, loop=self, name=name, context=context)
        task.add_done_callback(_mind_memory)
        return task

    def _check_open(self) -> None:
        if self._closed:
            raise RuntimeError("Event loop is closed")

    # --- running -------------------------------------------------------------------------

    def run_forever(self) -> None:
        self._check_open()
        if self._running or events._get_running_loop() is not None:
            raise RuntimeError("Cannot run the event loop while another loop is running")
        hooks = sys.get_asyncgen_hooks()
        sys.set_asyncgen_hooks(firstiter=self._generators.add, finalizer=self._finish_generator)
        self._running = True
        events._set_running_loop(self)
        try:
            while not self._stopping:
                self._run_once()
        finally:
            self._running = self._stopping = False
            events._set_running_loop(None)
            sys.set_asyncgen_hooks(*hooks)

    def run_until_complete(self, future: Any) -> Any:
        self._check_open()
        task = tasks.ensure_future(future, loop=self)
        task.add_done_callback(_stop_loop)
        try:
            self.run_forever()
        finally:
            task.remove_done_callback(_stop_loop)
        if not task.done():
            raise RuntimeError("Event loop stopped before Future completed.")
        return task.result()

    def stop(self) -> None:
        self._stopping = True

    def _run_once(self) -> None:
        while self._timers and self._timers[0].cancelled():
            heapq.heappop(self._timers)
        if not self._ready:
            if not self._timers:
                raise RuntimeError("every task waits, and nothing is left that could wake one")
            time.sleep(max(0.0, self._timers[0].when() - self.time()))
        now = self.time()
        while self._timers and self._timers[0].when() <= now:
            self._ready.append(heapq.heappop(self._timers))
        for _ in range(len(self._ready)):
            handle = self._ready.popleft()
            if not handle.cancelled():
                handle._run()

    # --- ending --------------------------------------------------------------------------

    def close(self) -> None:
        if self._running:
            raise RuntimeError("Cannot close a running event loop")
        self._closed = True
        self._ready.clear()
        self._timers.clear()

    def _finish_generator(self, generator: Any) -> None:
        self._generators.discard(generator)
        if not self._closed:
            self.call_soon(self.create_task, generator.aclose())

    async def shutdown_asyncgens(self) -> None:
        closing = [generator.aclose() for generator in self._generators]
        self._generators.clear()
        await tasks.gather(*closing, return_exceptions=True)

    async def shutdown_default_executor(self) -> None:
        """There is none."""

    # --- what nobody was there to receive -----------------------------------------------------

    def set_exception_handler(self, handler: Any) -> None:
        self._handler = handler

    def get_exception_handler(self) -> Any:
        return self._handler

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        exhaustion.heed(context.get("exception"))
        if self._handler is not None:
            self._handler(self, context)
        else:
            self.default_exception_handler(context)

    def default_exception_handler(self, context: dict[str, Any]) -> None:
        error = context.get("exception")
        said = f": {type(error).__name__}: {error}" if error is not None else ""
        streams.offered_print(f"{context['message']}{said}", file=streams.standard.stderr)

    def run_in_executor(self, executor: Any, func: Any, *args: Any) -> NoReturn:  # noqa: ARG002
        raise Forbidden("a program has one thread; call the function itself")


def _mind_memory(task: Any) -> None:
    """A task keeps its exception to itself; the end of memory is the program's."""
    exhaustion.heed(task._exception)


def _stop_loop(future: Any) -> None:
    future.get_loop().stop()


class _Policy:
    def __init__(self) -> None:
        self._loop: Any = None

    def get_event_loop(self) -> Any:
        if self._loop is None:
            self._loop = Loop()
        return self._loop

    def set_event_loop(self, loop: Any) -> None:
        self._loop = loop

    def new_event_loop(self) -> Loop:
        return Loop()


_policy = _Policy()
# Not by the function for it, which warns in Python 3.14.
events._event_loop_policy = _policy


class Runner:
    """asyncio.Runner."""

    def __init__(self, *, debug: bool | None = None, loop_factory: Any = None) -> None:  # noqa: ARG002
        self._loop = (loop_factory or Loop)()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def get_loop(self) -> Any:
        return self._loop

    def run(self, coro: Any, *, context: Any = None) -> Any:
        if not package.iscoroutine(coro):
            raise ValueError(f"a coroutine was expected, got {coro!r}")
        if events._get_running_loop() is not None:
            coro.close()
            raise RuntimeError("asyncio.run() cannot be called from a running event loop")
        _policy.set_event_loop(self._loop)
        return self._loop.run_until_complete(self._loop.create_task(coro, context=context))

    def close(self) -> None:
        if self._loop.is_closed():
            return
        try:
            left = tasks.all_tasks(self._loop)
            for task in left:
                task.cancel()
            if left:
                self._loop.run_until_complete(tasks.gather(*left, return_exceptions=True))
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        finally:
            _policy.set_event_loop(None)
            self._loop.close()


def run(main: Any, *, debug: bool | None = None) -> Any:
    """asyncio.run."""
    if events._get_running_loop() is not None:
        raise RuntimeError("asyncio.run() cannot be called from a running event loop")
    with Runner(debug=debug) as runner:
        return runner.run(main)


running.run_coroutine[:] = [run]

ASYNCIO: dict[str, Any] = {
    "run": run,
    "Runner": Runner,
    "get_event_loop": lambda: events._get_running_loop() or _policy.get_event_loop(),
    "new_event_loop": _policy.new_event_loop,
    "set_event_loop": _policy.set_event_loop,
}
