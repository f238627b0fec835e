"""Where `logging` puts records: handlers of our own, onto streams and into memory."""

from __future__ import annotations

import copy
from typing import Any

from runner.sandbox.guards import Forbidden, caught
from runner.sandbox.standins import reporting, streams
from runner.sandbox.standins.records import (
    ERROR,
    NOTSET,
    Filtering,
    Formatter,
    LogRecord,
    checked_record,
    getLevelName,
    level_number,
)


class Handler(Filtering):
    """logging.Handler."""

    def __init__(self, level: int | str = NOTSET) -> None:
        super().__init__()
        self.name: str | None = None
        self.level = level_number(level)
        self.formatter: Formatter | None = None

    def get_name(self) -> str | None:
        return self.name

    def set_name(self, name: str | None) -> None:
        self.name = name

    def setLevel(self, level: int | str) -> None:
        self.level = level_number(level)

    def setFormatter(self, formatter: Formatter | None) -> None:
        self.formatter = formatter

    def format(self, record: LogRecord) -> str:
        return (self.formatter or Formatter()).format(record)

    def handle(self, record: LogRecord) -> bool:
        passes = bool(self.filter(record))
        if passes:
            self.emit(record)
        return passes

    def emit(self, record: LogRecord) -> None:
        raise NotImplementedError("emit must be implemented by Handler subclasses")

    def handleError(self, record: LogRecord) -> None:
        """Tell of a record that could not be shown, and go on."""
        text = f"--- Logging error ---\n{reporting.format_exc()}"
        text += f"Message: {record.msg!r}\nArguments: {record.args}\n"
        streams.offered_print(text, end="", file=streams.standard.stderr)

    def acquire(self) -> None:
        """There is one thread."""

    release = createLock = acquire

    def flush(self) -> None:
        """Lines are sent as they end."""

    def close(self) -> None:
        """There is nothing to close."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} ({getLevelName(self.level)})>"


class StreamHandler(Handler):
    """logging.StreamHandler."""

    terminator = "\n"

    def __init__(self, stream: Any = None) -> None:
        super().__init__()
        self.stream = streams.standard.stderr if stream is None else stream

    def setStream(self, stream: Any) -> Any:
        old, self.stream = self.stream, stream
        return None if old is stream else old

    def flush(self) -> None:
        if hasattr(self.stream, "flush"):
            self.stream.flush()

    def emit(self, record: LogRecord) -> None:
        try:
            self.stream.write(self.format(record) + self.terminator)
            self.flush()
        except (RecursionError, Forbidden):
            raise
        except Exception:
            caught()
            self.handleError(record)


class NullHandler(Handler):
    """logging.NullHandler."""

    def emit(self, record: LogRecord) -> None:
        """Drop it."""


class BufferingHandler(Handler):
    """logging.handlers.BufferingHandler."""

    def __init__(self, capacity: int) -> None:
        super().__init__()
        self.capacity = capacity
        self.buffer: list[LogRecord] = []

    def shouldFlush(self, record: LogRecord) -> bool:  # noqa: ARG002
        return len(self.buffer) >= self.capacity

    def emit(self, record: LogRecord) -> None:
        self.buffer.append(record)
        if self.shouldFlush(record):
            self.flush()

    def flush(self) -> None:
        self.buffer.clear()

    def close(self) -> None:
        self.flush()


class MemoryHandler(BufferingHandler):
    """logging.handlers.MemoryHandler."""

    def __init__(
        self,
        capacity: int,
        flushLevel: int | str = ERROR,
        target: Any = None,
        flushOnClose: bool = True,
    ) -> None:
        super().__init__(capacity)
        self.flushLevel = level_number(flushLevel)
        self.target = target
        self.flushOnClose = flushOnClose

    def setTarget(self, target: Any) -> None:
        self.target = target

    def shouldFlush(self, record: LogRecord) -> bool:
        return super().shouldFlush(record) or record.levelno >= self.flushLevel

    def flush(self) -> None:
        if self.target is not None:
            for record in self.buffer:
                self.target.handle(record)
            self.buffer.clear()

    def close(self) -> None:
        if self.flushOnClose:
            self.flush()
        self.target = None
        self.buffer.clear()


class QueueHandler(Handler):
    """logging.handlers.QueueHandler; nothing but the program itself takes from its queue."""

    def __init__(self, queue: Any) -> None:
        super().__init__()
        self.queue = queue

    def prepare(self, record: LogRecord) -> LogRecord:
        text = self.format(record)
        made = checked_record(copy.copy(record))
        made.message = made.msg = text  # type: ignore[attr-defined]
        made.args = made.exc_info = made.exc_text = made.stack_info = None
        return made

    def enqueue(self, record: LogRecord) -> None:
        self.queue.put_nowait(record)

    def emit(self, record: LogRecord) -> None:
        self.enqueue(self.prepare(record))


HANDLERS: dict[str, Any] = {
    kind.__name__: kind for kind in (BufferingHandler, MemoryHandler, QueueHandler)
}
