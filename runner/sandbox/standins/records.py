"""What `logging` makes of a message, and where it goes: records, formatters, handlers."""

from __future__ import annotations

import time
from typing import Any

from runner.sandbox.guards import Forbidden
from runner.sandbox.standins import reporting, streams

NOTSET, DEBUG, INFO, WARNING, ERROR, CRITICAL = 0, 10, 20, 30, 40, 50
_names = {0: "NOTSET", 10: "DEBUG", 20: "INFO", 30: "WARNING", 40: "ERROR", 50: "CRITICAL"}
_began = time.time()


def level_number(level: int | str) -> int:
    if isinstance(level, int):
        return level
    for number, name in _names.items():
        if name == level:
            return number
    raise ValueError(f"Unknown level: {level!r}")


def getLevelName(level: int | str) -> Any:
    if isinstance(level, str):
        return next((number for number, name in _names.items() if name == level), f"Level {level}")
    return _names.get(level, f"Level {level}")


def addLevelName(level: int, name: str) -> None:
    _names[level] = name


class LogRecord:
    """logging.LogRecord."""

    def __init__(self, name: str, level: int, msg: Any, args: Any, error: Any = None) -> None:
        self.name = name
        self.msg = msg
        self.args = args[0] if len(args) == 1 and isinstance(args[0], dict) else args
        self.levelno = level
        self.levelname = getLevelName(level)
        self.created = time.time()
        self.msecs = self.created % 1 * 1000
        self.relativeCreated = (self.created - _began) * 1000
        self.exc_info = error
        self.module = self.filename = self.pathname = "program"
        self.funcName, self.lineno, self.process, self.threadName = "", 0, 1, "MainThread"

    def getMessage(self) -> str:
        text = str(self.msg)
        return text % self.args if self.args else text


class Formatter:
    """logging.Formatter."""

    default_time_format = "%Y-%m-%d %H:%M:%S"

    def __init__(
        self, fmt: str | None = None, datefmt: str | None = None, style: str = "%", **_options: Any
    ) -> None:
        if style != "%":
            raise Forbidden("logging has the style `%` only here")
        self._fmt = "%(message)s" if fmt is None else fmt
        self.datefmt = datefmt

    def formatTime(self, record: LogRecord, datefmt: str | None = None) -> str:
        moment = time.localtime(record.created)
        if datefmt:
            return time.strftime(datefmt, moment)
        return f"{time.strftime(self.default_time_format, moment)},{int(record.msecs):03d}"

    def format(self, record: LogRecord) -> str:
        # What is kept of a class, say, is for nobody to see.
        if LogRecord not in type(record).__mro__:
            raise TypeError(f"a LogRecord is formatted, not a {type(record).__name__}")
        values = {**vars(record), "message": record.getMessage()}
        if "%(asctime)" in self._fmt:
            values["asctime"] = self.formatTime(record, self.datefmt)
        text = self._fmt % values
        if record.exc_info is not None:
            text += "\n" + "".join(reporting.format_exception(record.exc_info)).rstrip("\n")
        return text


class Filter:
    """logging.Filter."""

    def __init__(self, name: str = "") -> None:
        self.name = name

    def filter(self, record: LogRecord) -> bool:
        return not self.name or f"{record.name}.".startswith(f"{self.name}.")


class Filtering:
    def __init__(self) -> None:
        self.filters: list[Any] = []

    def addFilter(self, wanted: Any) -> None:
        if wanted not in self.filters:
            self.filters.append(wanted)

    def removeFilter(self, wanted: Any) -> None:
        if wanted in self.filters:
            self.filters.remove(wanted)

    def filter(self, record: LogRecord) -> bool:
        return all(f.filter(record) if hasattr(f, "filter") else f(record) for f in self.filters)


class Handler(Filtering):
    """logging.Handler."""

    def __init__(self, level: int | str = NOTSET) -> None:
        super().__init__()
        self.level = level_number(level)
        self.formatter: Formatter | None = None

    def setLevel(self, level: int | str) -> None:
        self.level = level_number(level)

    def setFormatter(self, formatter: Formatter | None) -> None:
        self.formatter = formatter

    def format(self, record: LogRecord) -> str:
        return (self.formatter or Formatter()).format(record)

    def handle(self, record: LogRecord) -> None:
        if self.filter(record):
            self.emit(record)

    def emit(self, record: LogRecord) -> None:
        raise NotImplementedError("emit must be implemented by Handler subclasses")

    def flush(self) -> None:
        """Lines are sent as they end."""

    def close(self) -> None:
        """There is nothing to close."""


class StreamHandler(Handler):
    """logging.StreamHandler."""

    terminator = "\n"

    def __init__(self, stream: Any = None) -> None:
        super().__init__()
        self.stream = stream

    def emit(self, record: LogRecord) -> None:
        stream = streams.standard.stderr if self.stream is None else self.stream
        stream.write(self.format(record) + self.terminator)


class NullHandler(Handler):
    """logging.NullHandler."""

    def emit(self, record: LogRecord) -> None:
        """Drop it."""
