"""What `logging` makes of a message: records, and what filters and formats them."""

from __future__ import annotations

import string
import time
from collections.abc import Callable
from typing import Any

from runner.sandbox.guards import guard_getattr
from runner.sandbox.standins import reporting

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

    def __init__(  # noqa: PLR0913, PLR0917
        self,
        name: str,
        level: int,
        pathname: str,
        lineno: int,
        msg: Any,
        args: Any,
        exc_info: Any,
        func: str | None = None,
        sinfo: str | None = None,
        **_options: Any,
    ) -> None:
        only = args[0] if isinstance(args, tuple) and len(args) == 1 else None
        self.name = name
        self.msg = msg
        self.args = only if isinstance(only, dict) and only else args
        self.levelno = level
        self.levelname = getLevelName(level)
        self.pathname = pathname
        self.filename = pathname.rpartition("/")[2]
        self.module = self.filename.removesuffix(".py")
        self.exc_info = exc_info
        self.exc_text: str | None = None
        self.stack_info = sinfo
        self.lineno = lineno
        self.funcName = func
        self.created = time.time()
        self.msecs = self.created % 1 * 1000
        self.relativeCreated = (self.created - _began) * 1000
        self.thread, self.threadName = 1, "MainThread"
        self.process, self.processName = 1, "MainProcess"

    def getMessage(self) -> str:
        text = str(self.msg)
        return text % self.args if self.args else text

    def __repr__(self) -> str:
        place = f"{self.pathname}, {self.lineno}"
        return f'<LogRecord: {self.name}, {self.levelno}, {place}, "{self.msg}">'


class Formatter:
    """logging.Formatter."""

    converter: Any = time.localtime
    default_time_format = "%Y-%m-%d %H:%M:%S"
    default_msec_format = "%s,%03d"

    def __init__(
        self,
        fmt: str | None = None,
        datefmt: str | None = None,
        style: str = "%",
        validate: bool = True,  # noqa: ARG002
        *,
        defaults: dict[str, Any] | None = None,
    ) -> None:
        if style not in _STYLES:
            raise ValueError(f"Style must be one of: {','.join(_STYLES)}")
        self._style = style
        self._fmt = _STYLES[style][0] if fmt is None else fmt
        self._defaults = defaults or {}
        self.datefmt = datefmt

    def usesTime(self) -> bool:
        return any(
            mark in self._fmt for mark in ("%(asctime)", "{asctime", "$asctime", "${asctime")
        )

    def formatTime(self, record: LogRecord, datefmt: str | None = None) -> str:
        moment = self.converter(record.created)
        if datefmt:
            return time.strftime(datefmt, moment)
        text = time.strftime(self.default_time_format, moment)
        return self.default_msec_format % (text, record.msecs) if self.default_msec_format else text

    def formatException(self, ei: Any) -> str:
        return "".join(reporting.format_exception(ei[0], ei[1])).rstrip("\n")

    def formatStack(self, stack_info: str) -> str:
        return stack_info

    def formatMessage(self, record: LogRecord) -> str:
        fill = _STYLES[self._style][1]
        return fill(self._fmt, {**self._defaults, **vars(checked_record(record))})

    def format(self, record: LogRecord) -> str:
        checked_record(record).message = record.getMessage()  # type: ignore[attr-defined]
        if self.usesTime():
            record.asctime = self.formatTime(record, self.datefmt)  # type: ignore[attr-defined]
        text = self.formatMessage(record)
        if record.exc_info and not record.exc_text:
            record.exc_text = self.formatException(record.exc_info)
        for more in (record.exc_text, record.stack_info):
            if more:
                text = f"{text.removesuffix(chr(10))}\n{more}"
        return text


def checked_record(record: LogRecord) -> LogRecord:
    # What is kept of a class, say, is for nobody to see, nor to be written to.
    if not issubclass(type(record), LogRecord):
        raise TypeError(f"a LogRecord is formatted, not a {type(record).__name__}")
    return record


# Of each style: what it shows if nothing else is asked for, and how its texts are filled in.
_STYLES: dict[str, tuple[str, Callable[[str, dict[str, Any]], str]]] = {
    "%": ("%(message)s", lambda text, values: text % values),
    # Its fields could read attributes.
    "{": ("{message}", lambda text, values: str(guard_getattr(text, "format")(**values))),
    "$": ("${message}", lambda text, values: string.Template(text).substitute(values)),
}


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
