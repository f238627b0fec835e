"""Coroutines across the border: the event loop of one side runs that of the other.

A thread that awaits something of the other side has it started there as a task, which runs up to
where it waits. If a loop runs there, in which the call was made that is being answered, the task
is that loop's. Otherwise it belongs to a *guest*: a loop that the thread at the other end of this
line has for good, and that runs only when this one, its *host*, has it run: one step after the
other while something is ready, when a timer is due, and when its side says that it has become
ready. So coroutines of both sides take turns as on one loop, and nobody waits in vain or blocks.

The host's own work for its guest is told with the next step. What cancels a coroutine here cancels
the one there, and waits for its end. When the host ends, as `asyncio.run` does, tasks of the guest
are cancelled.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import types
import weakref
from asyncio import _get_running_loop
from collections.abc import AsyncGenerator, Coroutine, Sequence
from typing import Any, Protocol

from runner.sandbox.border.event_loop import EventLoop
from runner.sandbox.border.plain import Malformed
from runner.sandbox.border.protocol import ASYNCHRONOUS, Operation
from runner.sandbox.border.proxies import Asker
from runner.sandbox.border.tasks import coroutine_of, end_tasks, make_task, outcome_of
from runner.sandbox.border.threads import Line

_MOST_CONTEXTS = 1_000


class End(Asker, Protocol):
    """The end of a border, as coroutines need it."""

    is_judge: bool
    broken: BaseException | None

    def line(self) -> Line:
        """Return the line of this thread."""

    def notify(self, line: Line) -> None:
        """Tell the other side of a line that the loop at this one has something to do."""

    def give_up(self, error: Exception) -> BaseException:
        """Break the border for good, and return what is to be raised."""


class _Waiter:
    """A coroutine here that waits for a task there."""

    def __init__(self) -> None:
        self.future: asyncio.Future[None] | None = None
        self.is_done = False

    def finish(self) -> None:
        self.is_done = True
        if self.future is not None and not self.future.done():
            with contextlib.suppress(RuntimeError):  # its loop is closed
                self.future.set_result(None)


class _Loops:
    """What a thread keeps for the loops at both ends of its line."""

    def __init__(self) -> None:
        self.host: asyncio.AbstractEventLoop | None = None
        self.guest: EventLoop | None = None
        self.is_due = False  # the guest at the other end
        self.timer: asyncio.TimerHandle | None = None
        self.closing: AsyncGenerator[None] | None = None
        self.waiting: dict[int, _Waiter] = {}
        self.tasks: dict[int, asyncio.Task[Any]] = {}  # of the other side's that haven't ended
        self.contexts: dict[int, contextvars.Context] = {}  # of tasks at the other end

    def take_ended(self) -> list[int]:
        """Return the numbers of tasks that have ended since this was last asked."""
        ended = [number for number, task in self.tasks.items() if task.done()]
        for number in ended:
            del self.tasks[number]
        return ended

    def finish(self, numbers: object) -> None:
        """Wake those who wait for these tasks of the other side."""
        if type(numbers) is not list:
            raise Malformed("tasks that have ended are a list")
        for number in numbers:
            if type(number) is not int:
                raise Malformed("a task has a number")
            # Nobody may wait for it any more.
            if (waiter := self.waiting.pop(number, None)) is not None:
                waiter.finish()


class Coroutines:
    """What one end of a border knows of coroutines on both sides."""

    def __init__(self, end: End) -> None:
        self._end = end
        self._loops: dict[int, _Loops] = {}  # by the numbers of lines
        self._tasks: dict[int, asyncio.Task[Any]] = {}  # whose results nobody has asked for
        self._number = 0
        self._watched: weakref.WeakKeyDictionary[Any, list[Any]] = weakref.WeakKeyDictionary()
        self._contexts: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._next_context = 1

    def _of(self, line: Line) -> _Loops:
        found = self._loops.get(line.number)
        if found is None:
            found = self._loops[line.number] = _Loops()
        return found

    # --- awaiting what is on the other side -------------------------------------------------------

    def awaiting(
        self,
        number: int,
        name: str,
        args: Sequence[Any] = (),
        watched: Sequence[Any] = (),
        owner: object = None,
    ) -> Coroutine[Any, Any, Any]:
        """Return a coroutine that has something awaited on the other side."""
        known = [*watched]
        made = self._await(number, name, args, known, owner)
        self._watched[made] = known
        return made

    def keep_watch(self, value: object, sent: Sequence[Any]) -> None:
        """Remember what was sent with the call that returned a coroutine, which may change it."""
        if type(value) is types.CoroutineType and value in self._watched:
            self._watched[value][:] = sent

    async def _await(
        self,
        number: int,
        name: str,
        args: Sequence[Any],
        watched: Sequence[Any],
        _owner: object,  # whose object must not be released before it was awaited
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
            raise RuntimeError("the implementation raised CancelledError")
        raise asyncio.CancelledError

    async def _wait(self, task: int) -> tuple[BaseException | None, bool]:
        """Wait for a task; returns what cancelled this, and whether the task has heard of it."""
        loop = asyncio.get_running_loop()
        loops = self._of(self._end.line())
        if task in loops.waiting:
            raise self._end.give_up(Malformed("a task with the number of another"))
        waiter = loops.waiting[task] = _Waiter()
        cancelled: BaseException | None = None
        is_told = False
        try:
            while not waiter.is_done:
                waiter.future = loop.create_future()
                try:
                    await waiter.future
                except asyncio.CancelledError as error:
                    cancelled = error
                    if not waiter.is_done:
                        is_told = True
                        self._end.ask(Operation.CANCEL, 0, "", (task,))
        finally:
            if loops.waiting.pop(task, None) is not None and self._end.broken is None:
                self._end.ask(Operation.CANCEL, 0, "", (task, True))
        return cancelled, is_told

    def _context(self) -> int:
        """Return a number for this task, so that what it awaits has one context there."""
        task = asyncio.current_task()
        if task is None:
            return 0
        number = self._contexts.get(task)
        if number is None:
            number = self._contexts[task] = self._next_context
            self._next_context += 1
        return number

    # --- being the host of the other side's loop --------------------------------------------------

    def enter(self, line: Line, loop: asyncio.AbstractEventLoop) -> None:
        """Take note of the loop in which a call is made."""
        loops = self._of(line)
        if loop is loops.host or loop is loops.guest:
            return
        loops.host, loops.is_due = loop, False
        loops.closing = self._end_of_host(loops)
        # From its first step on, the loop will close it.
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
        """Have the guest at the other end of a line run soon; any thread may say so."""
        loops = self._of(line)
        host = loops.host
        if host is None:
            return
        if _get_running_loop() is host:
            self._schedule(loops)
        else:
            with contextlib.suppress(RuntimeError):  # it is closed
                host.call_soon_threadsafe(self._schedule, loops)

    def _schedule(self, loops: _Loops) -> None:
        if not loops.is_due and loops.host is not None:
            loops.is_due = True
            loops.host.call_soon(self._run_guest, loops)

    def _run_guest(self, loops: _Loops) -> None:
        loops.is_due = False
        if loops.timer is not None:
            loops.timer.cancel()
        try:
            answer = self._end.ask(Operation.RUN, 0, "", (loops.take_ended(),))
        except BaseException:
            if self._end.broken is None:
                raise
            return  # all who wait have been told
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
        """Wake all who wait: nothing arrives any more."""
        for loops in [*self._loops.values()]:
            for waiter in [*loops.waiting.values()]:
                if waiter.future is not None:
                    with contextlib.suppress(RuntimeError):
                        waiter.future.get_loop().call_soon_threadsafe(waiter.finish)

    # --- being asked ------------------------------------------------------------------------------

    @contextlib.contextmanager
    def entered(self, line: Line) -> Any:
        """Let something run as if within the running loop of whoever asked for it."""
        if _get_running_loop() is not None:
            yield
            return
        with self._guest(line).entered():
            yield

    def _guest(self, line: Line) -> EventLoop:
        loops = self._of(line)
        if loops.guest is None:
            loops.guest = EventLoop(lambda: self._end.notify(line))
        return loops.guest

    def perform(
        self, line: Line, operation: object, target: Any, name: str, args: list[Any]
    ) -> Any:
        """Perform an operation on a coroutine, or on what is awaited; raises Malformed."""
        loops = self._of(line)
        match operation, args:
            case Operation.AWAIT, [int() as context, *more]:
                if target is None and loops.guest is None:
                    return (None,)
                return self._start(line, target, name, more, context)
            case Operation.RESULT, [int() as number]:
                task = self._tasks.pop(number, None)
                if task is None or not task.done():
                    raise Malformed("a result of no task")
                return outcome_of(task)
            case Operation.CANCEL, [int() as number, *is_last]:
                return self._cancel(line, number, bool(is_last))
            case Operation.RUN, [ended]:
                loops.finish(ended)
                delay = None if loops.guest is None else loops.guest.step()
                return [loops.take_ended(), delay]
        raise Malformed("an unknown operation on a coroutine")

    def _start(self, line: Line, target: Any, name: str, args: list[Any], context: int) -> Any:
        loops = self._of(line)
        if target is not None and name not in ASYNCHRONOUS and name != "__await__":
            raise Malformed("nothing that can be awaited")
        loop: Any = _get_running_loop()
        with self.entered(line):
            if loop is None:
                loop = loops.guest
            coroutine = end_tasks(loop) if target is None else coroutine_of(target, name, args)
            task = make_task(loop, coroutine, self._known_context(loops, context))
        if task.done():
            return outcome_of(task)
        self._number += 1
        loops.tasks[self._number] = self._tasks[self._number] = task
        if loop is loops.host:
            task.add_done_callback(lambda _: self._schedule(loops))
        return self._number

    @staticmethod
    def _known_context(loops: _Loops, number: int) -> contextvars.Context:
        context = loops.contexts.get(number) if number else None
        if context is None:
            context = loops.contexts[number] = contextvars.copy_context()
            if len(loops.contexts) > _MOST_CONTEXTS:
                del loops.contexts[next(iter(loops.contexts))]
        return context

    def _cancel(self, line: Line, number: int, is_last: bool) -> None:
        task = self._tasks.pop(number, None) if is_last else self._tasks.get(number)
        if task is None:
            return
        loop = task.get_loop()
        if loop is _get_running_loop() or loop is self._of(line).guest:
            task.cancel()
        else:
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(task.cancel)
