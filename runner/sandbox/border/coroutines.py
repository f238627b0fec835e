"""Coroutines across the border: the event loop of one side runs that of the other.

To await an object of the other side, a thread has a task started there, which runs until it waits.
If the thread at the other end of the line is inside of a running loop, the task belongs to that
loop. Otherwise it belongs to a *guest*: a permanent loop of that thread, which only runs in steps
requested by the *host*, the loop on this side. A step is requested while something is ready, when a
timer is due, and when the other side reports that something has become ready. So coroutines of both
sides take turns as on one loop, without blocking each other.

Ended tasks of the host are reported to the guest with the next step. Cancelling a coroutine here
cancels the task there, and waits for its end. When the host ends, for example with `asyncio.run`,
the guest's tasks are cancelled.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import itertools
import sys
import types
import weakref
from asyncio import _get_running_loop
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from typing import Any, Protocol

from runner.sandbox.border.plain import Malformed
from runner.sandbox.border.protocol import ASYNCHRONOUS, EarlyExit, Operation
from runner.sandbox.border.threads import Line
from runner.sandbox.language.event_loop import EventLoop

_MOST_CONTEXTS = 1_000


class End(Protocol):
    """The interface of a border's end for coroutines."""

    is_judge: bool
    broken: BaseException | None
    line: Callable[[], Line]  # of this thread

    def ask(self, *args: Any, **keywords: Any) -> Any: ...
    def notify(self, line: Line) -> None: ...
    def give_up(self, error: Exception) -> BaseException: ...


class _Loops:
    """The state of the loops at both ends of a line."""

    def __init__(self) -> None:
        self.host: asyncio.AbstractEventLoop | None = None
        self.guest: EventLoop | None = None
        self.is_due = False  # a step of the guest at the other end is scheduled
        self.timer: asyncio.TimerHandle | None = None
        self.closing: AsyncGenerator[None] | None = None
        # The waiters here, by the number of a task at the other end.
        self.waiting: dict[int, tuple[asyncio.AbstractEventLoop, asyncio.Event]] = {}
        self.contexts: dict[int, contextvars.Context] = {}  # of tasks at the other end

    def finish(self, numbers: object) -> None:
        """Wake the waiters for these tasks of the other side."""
        if type(numbers) is not list or not {int}.issuperset(map(type, numbers)):
            raise Malformed("tasks that have ended are a list of numbers")
        for number in numbers:
            # The waiter may have given up, or its loop may be closed.
            if number in self.waiting:
                with contextlib.suppress(RuntimeError):
                    self.waiting.pop(number)[1].set()


class Coroutines:
    """The coroutines of one end of a border: awaits of the other side, and its tasks here."""

    def __init__(self, end: End) -> None:
        self._end = end
        self._loops: dict[int, _Loops] = {}  # by line number
        # Tasks started by the other side, whose results it hasn't requested yet.
        self._tasks: dict[int, tuple[asyncio.Task[Any], _Loops]] = {}
        self._numbers = itertools.count(1)
        self._watched: weakref.WeakKeyDictionary[Any, list[Any]] = weakref.WeakKeyDictionary()
        self._contexts: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()

    def _of(self, line: Line) -> _Loops:
        if line.number not in self._loops:
            self._loops[line.number] = _Loops()
        return self._loops[line.number]

    # --- awaiting what is on the other side -------------------------------------------------------

    def awaiting(
        self,
        number: int,
        name: str,
        args: Sequence[Any] = (),
        watched: Sequence[Any] = (),
        owner: object = None,
    ) -> Coroutine[Any, Any, Any]:
        """Return a coroutine that awaits, on the other side, the result of a special method.

        For `__await__`, it awaits the object itself. `owner` is the proxy, to keep it alive.
        """
        known = [*watched]
        made = self._await(number, name, args, known, owner)
        self._watched[made] = known
        return made

    def keep_watch(self, value: object, sent: Sequence[Any]) -> None:
        """Store the objects sent with the call that returned a coroutine, which may change them."""
        if type(value) is types.CoroutineType and value in self._watched:
            self._watched[value][:] = sent

    async def _await(
        self, number: int, name: str, args: Sequence[Any], watched: Sequence[Any], _owner: object
    ) -> Any:
        ask = self._end.ask
        answer = ask(Operation.AWAIT, number, name, (self._context(), *args), (), watched)
        cancelled: BaseException | None = None
        if type(answer) is int:
            cancelled, is_told = await self._wait(answer)
            answer = ask(Operation.RESULT, number, name, (answer,), (), watched)
            if cancelled is not None and not is_told:
                raise cancelled
        if type(answer) is not tuple or len(answer) > 1:
            raise self._end.give_up(Malformed("a result of another form"))
        if answer:
            return answer[0]
        if cancelled is not None:
            raise cancelled
        if self._end.is_judge:
            raise EarlyExit("the implementation raised CancelledError")
        raise asyncio.CancelledError

    async def _wait(self, task: int) -> tuple[BaseException | None, bool]:
        """Wait for a task; return the cancellation of this wait and whether it was passed on."""
        loops, done = self._of(self._end.line()), asyncio.Event()
        if task in loops.waiting:
            raise self._end.give_up(Malformed("a task with the number of another"))
        loops.waiting[task] = asyncio.get_running_loop(), done
        cancelled: BaseException | None = None
        is_told = False
        try:
            while not done.is_set():
                try:
                    await done.wait()
                except asyncio.CancelledError as error:
                    cancelled = error
                    if not done.is_set():
                        is_told = True
                        self._end.ask(Operation.CANCEL, 0, "", (task,))
        finally:
            if loops.waiting.pop(task, None) is not None and self._end.broken is None:
                self._end.ask(Operation.CANCEL, 0, "", (task, True))
        return cancelled, is_told

    def _context(self) -> int:
        """Return a number for the current task, so that its awaits share a context there."""
        task = asyncio.current_task()
        if task is None:
            return 0
        if task not in self._contexts:
            self._contexts[task] = next(self._numbers)
        return self._contexts[task]

    # --- being the host of the other side's loop --------------------------------------------------

    def enter(self, line: Line, loop: asyncio.AbstractEventLoop) -> None:
        """Register the running loop in which a call is made as the host of this line."""
        loops = self._of(line)
        if loop is loops.host or loop is loops.guest:
            return
        loops.host, loops.is_due = loop, False
        loops.closing = self._end_of_host(loops)
        # An async generator that was started is closed by its loop.
        with contextlib.suppress(StopIteration):
            loops.closing.asend(None).send(None)
        self._schedule(loops)

    async def _end_of_host(self, loops: _Loops) -> AsyncGenerator[None]:
        host = loops.host
        try:
            yield
        finally:
            if loops.host is host and self._end.broken is None:
                await self.awaiting(0, "")
                loops.host = None

    def schedule(self, line: Line) -> None:
        """Schedule a step of the guest at the other end of a line; callable from any thread."""
        loops = self._of(line)
        if _get_running_loop() is loops.host:
            self._schedule(loops)
        elif loops.host is not None:
            with contextlib.suppress(RuntimeError):  # it is closed
                loops.host.call_soon_threadsafe(self._schedule, loops)

    def _schedule(self, loops: _Loops) -> None:
        if not loops.is_due and loops.host is not None:
            loops.is_due = True
            loops.host.call_soon(self._run_guest, loops)

    def _run_guest(self, loops: _Loops) -> None:
        loops.is_due = False
        if loops.timer is not None:
            loops.timer.cancel()
        try:
            answer = self._end.ask(Operation.RUN, 0, "", (self._ended(loops),))
        except BaseException:
            if self._end.broken is None:
                raise
            return  # all waiters have been woken
        try:
            ended, delay = answer
            loops.finish(ended)
            delay = None if delay is None else max(0.0, delay)
        except (Malformed, TypeError, ValueError) as error:
            self._end.give_up(error)
            return
        if delay == 0:
            self._schedule(loops)
        elif delay is not None and loops.host is not None:
            loops.timer = loops.host.call_later(delay, self._schedule, loops)

    def end(self) -> None:
        """Wake all waiters, because the border has ended."""
        for loops in [*self._loops.values()]:
            for loop, done in [*loops.waiting.values()]:
                with contextlib.suppress(RuntimeError):
                    loop.call_soon_threadsafe(done.set)

    # --- being asked ------------------------------------------------------------------------------

    def entered(self, line: Line) -> contextlib.AbstractContextManager[None]:
        """Make the guest the running loop in the block, unless a loop is running."""
        if _get_running_loop() is not None:
            return contextlib.nullcontext()
        loops = self._of(line)
        if loops.guest is None:
            loops.guest = EventLoop(lambda: self._end.notify(line))
        return loops.guest.entered()

    def _ended(self, loops: _Loops) -> list[int]:
        """Return the numbers of tasks that have ended."""
        tasks = [*self._tasks.items()]
        return [number for number, (task, of) in tasks if of is loops and task.done()]

    def perform(
        self, line: Line, operation: object, target: Any, name: str, args: list[Any]
    ) -> Any:
        """Perform an operation about coroutines; raises Malformed."""
        loops = self._of(line)
        match operation, args:
            case Operation.AWAIT, [int() as context, *more]:
                if target is None and loops.guest is None:
                    return (None,)
                return self._start(line, target, name, more, context)
            case Operation.RESULT, [int() as number]:
                task, _ = self._tasks.pop(number, (None, None))
                if task is None or not task.done():
                    raise Malformed("a result of no task")
                return _outcome(task)
            case Operation.CANCEL, [int() as number, *is_last]:
                task, _ = self._tasks.get(number, (None, None))
                if is_last:
                    self._tasks.pop(number, None)
                if task is not None:
                    _cancel(task, loops.guest)
                return None
            case Operation.RUN, [ended]:
                loops.finish(ended)
                delay = None if loops.guest is None else loops.guest.step()
                return [self._ended(loops), delay]
        raise Malformed("an unknown operation on a coroutine")

    def _start(self, line: Line, target: Any, name: str, args: list[Any], context: int) -> Any:
        loops = self._of(line)
        if target is not None and name not in ASYNCHRONOUS and name != "__await__":
            raise Malformed("nothing that can be awaited")
        loop: Any = _get_running_loop()
        with self.entered(line):
            loop = loop or loops.guest
            coroutine = _end_tasks(loop) if target is None else _coroutine(target, name, args)
            known = loops.contexts.setdefault(context, contextvars.copy_context())
            if not context or len(loops.contexts) > _MOST_CONTEXTS:
                del loops.contexts[next(iter(loops.contexts)) if context else 0]
            # With an eager start, the task runs at once until it waits.
            if sys.version_info >= (3, 12):
                task = asyncio.Task(coroutine, loop=loop, context=known, eager_start=True)
            else:
                task = loop.create_task(coroutine, context=known)
        if task.done():
            return _outcome(task)
        number = next(self._numbers)
        self._tasks[number] = task, loops
        if loop is loops.host:
            task.add_done_callback(lambda _: self._schedule(loops))
        return number


def _coroutine(target: Any, name: str, args: Sequence[Any]) -> Coroutine[Any, Any, Any]:
    """Return a coroutine that awaits an object, or the result of its special method."""
    awaitable = target if name == "__await__" else getattr(type(target), name)(target, *args)

    async def wait() -> Any:
        return await awaitable

    return awaitable if type(awaitable) is types.CoroutineType else wait()


async def _end_tasks(loop: asyncio.AbstractEventLoop) -> None:
    """Cancel all other tasks, as `asyncio.run` does at its end."""
    tasks = asyncio.all_tasks(loop) - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await loop.shutdown_asyncgens()


def _outcome(task: asyncio.Task[Any]) -> tuple[Any, ...]:
    """Return a task's result in a tuple, empty if it was cancelled; raises its exception."""
    return () if task.cancelled() else (task.result(),)


def _cancel(task: asyncio.Task[Any], guest: object) -> None:
    if (loop := task.get_loop()) in (_get_running_loop(), guest):
        task.cancel()
    else:
        with contextlib.suppress(RuntimeError):  # it is closed
            loop.call_soon_threadsafe(task.cancel)
