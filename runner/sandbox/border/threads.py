"""Threads that share one channel: each has a line to one thread of the other side.

Calls on a line go back and forth between its two threads. So a nested call runs in the thread that
waits, and thread-local data are there at the next call. A thread that calls for the first time
opens a line, and the other side starts a thread for it.

Only one thread reads at a time, one that waits anyway. It hands messages for other lines to their
threads and, when it has got its own message, hands the reading to another waiting thread. So a
program with one thread never switches threads. A side with more threads sends a notice, and the
other side starts a listener, so that calls are answered while its own threads are busy.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from runner.sandbox.border.plain import Malformed
from runner.sandbox.border.protocol import Gone

MOST_LINES = 500  # lines opened by one side

CLOSED: Final = object()  # the thread at a line's other end has ended


MOST_KNOWN = 100  # objects of a request, and of answers in its course


class Line:
    """One thread's end of a line.

    Its number is positive on the side that opened it, and negative on the other. The threads that
    made the two ends of the border have number 0.
    """

    __slots__ = ("awaited", "depth", "known", "message", "number", "snapshots", "wakeup")

    def __init__(self, number: int) -> None:
        self.number = number
        self.depth = 0
        self.awaited = 0  # the innermost request without an answer
        self.known: Any = ()  # the objects of that request
        # Snapshots of the objects of the request that is being answered, if any.
        self.snapshots: Any = None
        self.message: Any = None
        self.wakeup = threading.Lock()
        self.wakeup.acquire()

    def know(self, known: Sequence[Any], objects: Sequence[Any]) -> None:
        """Set the known objects of the request, with those of an answer in its course."""
        if self.depth:
            is_short = len(known) + len(objects) <= MOST_KNOWN
            self.known = [*known, *objects] if objects and is_short else known


class _Closer:
    """A thread-local object that reports the end of its thread when it is deleted."""

    def __init__(self, number: int, ended: list[int]) -> None:
        self._number, self._ended = number, ended

    def __del__(self) -> None:
        self._ended.append(self._number)


class Exchange:
    """Hands messages to the threads that wait for them.

    `read` returns the next message and its line, or None for a notice. `serve` answers requests on
    a line, in a thread of its own.
    """

    def __init__(
        self, read: Callable[[], tuple[Line, Any] | None], serve: Callable[[Line], None]
    ) -> None:
        self.error: BaseException | None = None  # why the border has ended
        self.ended: list[int] = []  # numbers of lines whose threads have ended here
        self._read = read
        self._serve = serve
        self._lock = threading.RLock()
        self._reader = 0  # id of the reading thread, or 0
        self._waiting: dict[Line, int] = {}  # thread ids by line
        self._local = threading.local()
        self._local.line = Line(0)
        self._lines: dict[int, Line] = {0: self._local.line}
        self._opened = 0
        self._listens = False

    # --- lines ------------------------------------------------------------------------------------

    def current(self) -> Line:
        """Return the line of this thread, opened if there is none."""
        try:
            return self._local.line  # type: ignore[no-any-return]
        except AttributeError:
            return self._open()

    def find(self, number: object, *, may_open: bool) -> Line:
        """Return the line to which the other side gives this number, or start a thread for it."""
        if type(number) is not int:
            raise Malformed("a line has a number")
        line = self._lines.get(-number)
        if line is None:
            if not may_open or number < 0 or len(self._lines) > 2 * MOST_LINES:
                raise Malformed("a line that nobody has opened")
            line = self._lines[-number] = Line(-number)
            self._start(self._work, line)
        return line

    def close(self, number: object) -> None:
        """End the thread of a line, because the thread at its other end has ended."""
        line = self._lines.pop(-number, None) if type(number) is int and number > 0 else None
        if line is None:
            raise Malformed("an end of a line that isn't open")
        self.hand_over(line, CLOSED)

    def is_busy(self) -> bool:
        """Return whether this thread is reading or holds the lock."""
        is_owned: bool = self._lock._is_owned()  # type: ignore[attr-defined] # noqa: SLF001
        return is_owned or self._reader == threading.get_ident()

    def is_own(self, line: Line) -> bool:
        """Return whether this is the line of this thread."""
        return vars(self._local).get("line") is line

    def listen(self) -> None:
        """Start a thread that reads whenever no other thread does."""
        if not self._listens:
            self._listens = True
            self._start(self._wait, Line(0))

    @contextlib.contextmanager
    def aside(self) -> Iterator[None]:
        """Make calls of this thread in the block use another line than its own."""
        kept = vars(self._local)
        own, spares = kept.pop("line", None), kept.setdefault("spares", [])
        if spares:
            kept["line"] = spares.pop()
        try:
            yield
        finally:
            if (used := kept.pop("line", None)) is not None:
                spares.append(used)
            if own is not None:
                kept["line"] = own

    def _open(self) -> Line:
        with self._lock:
            if sum(number > 0 for number in [*self._lines]) >= MOST_LINES:
                raise RuntimeError(f"calls from more than {MOST_LINES} threads at once")
            self._opened += 1
            line = self._lines[self._opened] = Line(self._opened)
        self._local.line = line
        vars(self._local).setdefault("closers", []).append(_Closer(line.number, self.ended))
        return line

    def take_ended(self) -> list[int]:
        """Remove lines whose threads have ended; return their numbers for the other side."""
        ended = [self.ended.pop() for _ in range(len(self.ended))]
        for number in ended:
            self._lines.pop(number, None)
        return ended

    @staticmethod
    def _start(work: Callable[[Line], None], line: Line) -> None:
        try:
            threading.Thread(target=work, args=(line,), daemon=True).start()
        except RuntimeError as error:
            raise Gone(str(error)) from None

    def _work(self, line: Line) -> None:
        self._local.line = line
        self._serve(line)

    def _wait(self, line: Line) -> None:
        with contextlib.suppress(Gone, Malformed):
            self.receive(line)

    # --- messages ---------------------------------------------------------------------------------

    def receive(self, line: Line) -> Any:
        """Return the next message of a line; raises the error that has ended the border."""
        thread = threading.get_ident()
        if self._reader == thread:
            # Reading a message may make a call, whose answer must be read.
            return self._read_until(line)
        with self._lock:
            must_wait = self._reader and line.message is None and self.error is None
            if must_wait:
                self._waiting[line] = thread
            elif not self._reader:
                self._reader = thread
        if must_wait:
            line.wakeup.acquire()  # until a message is handed over, or this thread is to read
        if self._reader != thread:
            return self._take(line)
        try:
            return self._read_until(line)
        except (Gone, Malformed) as error:
            self.end(error)
            raise
        finally:
            with self._lock:
                self._reader = 0
                if self._waiting:
                    other, self._reader = self._waiting.popitem()
                    other.wakeup.release()

    def _read_until(self, line: Line) -> Any:
        while line.message is None and self.error is None:
            if (found := self._read()) is not None:
                target, message = found
                if target is line:
                    return message
                self.hand_over(target, message)
        return self._take(line)

    def hand_over(self, line: Line, message: Any) -> None:
        """Pass a message to the thread of a line; raises Malformed."""
        with self._lock:
            if line.message is not None:
                raise Malformed("two messages at once for one thread")
            line.message = message
            if self._waiting.pop(line, None) is not None:
                line.wakeup.release()

    def end(self, error: BaseException) -> None:
        """End the border: all threads that wait, now or later, raise this error."""
        with self._lock:
            self.error = self.error or error
            while self._waiting:
                self._waiting.popitem()[0].wakeup.release()

    def _take(self, line: Line) -> Any:
        message, line.message = line.message, None
        if message is None and self.error is not None:
            raise self.error
        return message
