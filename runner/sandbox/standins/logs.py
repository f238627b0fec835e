"""`logging` of our own, small: the original finds frames, and reads attributes that texts name.

Of a record, the file of a module is its name and `.py`; there is one process and one thread.
"""

from __future__ import annotations

import sys
import types
from typing import Any

from runner.sandbox.guards import MARK, Forbidden, check_written_name
from runner.sandbox.standins.adapters import LoggerAdapter
from runner.sandbox.standins.handlers import Handler, NullHandler, StreamHandler
from runner.sandbox.standins.records import (
    CRITICAL,
    DEBUG,
    ERROR,
    INFO,
    NOTSET,
    WARNING,
    Filter,
    Filtering,
    Formatter,
    LogRecord,
    addLevelName,
    getLevelName,
    level_number,
)


class Logger(Filtering):
    """logging.Logger."""

    def __init__(self, name: str, level: int | str = NOTSET) -> None:
        super().__init__()
        self.name = name
        self.level = level_number(level)
        self.parent: Logger | None = None
        self.propagate = True
        self.disabled = False
        self.handlers: list[Any] = []

    def setLevel(self, level: int | str) -> None:
        self.level = level_number(level)

    def getEffectiveLevel(self) -> int:
        logger: Logger | None = self
        while logger is not None:
            if logger.level:
                return logger.level
            logger = logger.parent
        return NOTSET

    def isEnabledFor(self, level: int) -> bool:
        return not self.disabled and level > _disabled[0] and level >= self.getEffectiveLevel()

    def getChild(self, suffix: str) -> Logger:
        return getLogger(suffix if self is _root else f"{self.name}.{suffix}")

    def addHandler(self, handler: Any) -> None:
        if handler not in self.handlers:
            self.handlers.append(handler)

    def removeHandler(self, handler: Any) -> None:
        if handler in self.handlers:
            self.handlers.remove(handler)

    def hasHandlers(self) -> bool:
        return bool(self._all_handlers())

    def _all_handlers(self) -> list[Any]:
        logger: Logger | None = self
        found: list[Any] = []
        while logger is not None:
            found += logger.handlers
            logger = logger.parent if logger.propagate else None
        return found

    def log(
        self,
        level: int,
        msg: Any,
        *args: Any,
        exc_info: Any = None,
        extra: Any = None,
        stack_info: bool = False,  # noqa: ARG002
        stacklevel: int = 1,
    ) -> None:
        if not isinstance(level, int):
            raise TypeError("level must be an integer")
        if not self.isEnabledFor(level):
            return
        if isinstance(exc_info, BaseException):
            exc_info = (type(exc_info), exc_info, exc_info.__traceback__)
        elif exc_info and not isinstance(exc_info, tuple):
            exc_info = sys.exc_info()
        file, line, function = _place(stacklevel)
        exc_info = exc_info or None
        self.handle(
            self.makeRecord(self.name, level, file, line, msg, args, exc_info, function, extra)
        )

    def makeRecord(  # noqa: PLR0913, PLR0917
        self,
        name: str,
        level: int,
        fn: str,
        lno: int,
        msg: Any,
        args: Any,
        exc_info: Any,
        func: str | None = None,
        extra: Any = None,
        sinfo: str | None = None,
    ) -> LogRecord:
        record = LogRecord(name, level, fn, lno, msg, args, exc_info, func, sinfo)
        for key in extra or ():
            if key in ("message", "asctime") or key in record.__dict__:
                raise KeyError(f"Attempt to overwrite {key!r} in LogRecord")
            check_written_name(key)
            record.__dict__[key] = extra[key]
        return record

    def handle(self, record: LogRecord) -> None:
        if self.disabled or not self.filter(record):
            return
        handlers = self._all_handlers()
        for handler in handlers:
            if record.levelno >= handler.level:
                handler.handle(record)
        if not handlers and record.levelno >= WARNING:
            StreamHandler().handle(record)

    def debug(self, msg: Any, *args: Any, **options: Any) -> None:
        self.log(DEBUG, msg, *args, **options)

    def info(self, msg: Any, *args: Any, **options: Any) -> None:
        self.log(INFO, msg, *args, **options)

    def warning(self, msg: Any, *args: Any, **options: Any) -> None:
        self.log(WARNING, msg, *args, **options)

    warn = warning

    def error(self, msg: Any, *args: Any, **options: Any) -> None:
        self.log(ERROR, msg, *args, **options)

    def exception(self, msg: Any, *args: Any, exc_info: Any = True, **options: Any) -> None:
        self.log(ERROR, msg, *args, exc_info=exc_info, **options)

    def critical(self, msg: Any, *args: Any, **options: Any) -> None:
        self.log(CRITICAL, msg, *args, **options)

    fatal = critical

    def __repr__(self) -> str:
        return f"<Logger {self.name} ({getLevelName(self.getEffectiveLevel())})>"


def _place(level: int) -> tuple[str, int, str]:
    """The file, line and function of the program that logs; a script's file is its module's."""
    frame: types.FrameType | None = sys._getframe(1)
    found = ("(unknown file)", 0, "(unknown function)")
    while frame is not None and level > 0:
        if MARK in frame.f_globals:
            code = frame.f_code
            found = (f"{code.co_filename}.py", frame.f_lineno, code.co_name)
            level -= 1
        frame = frame.f_back
    return found


_root = Logger("root", WARNING)
_loggers: dict[str, Logger] = {}
_disabled = [NOTSET]


def getLogger(name: str | None = None) -> Logger:
    if not name or name == "root":
        return _root
    if name not in _loggers:
        made = _loggers[name] = Logger(name)
        made.parent = getLogger(name.rpartition(".")[0])
        for other, logger in _loggers.items():
            if other.startswith(f"{name}.") and logger.parent is made.parent:
                logger.parent = made
    return _loggers[name]


def disable(level: int = CRITICAL) -> None:
    _disabled[0] = level


_BASIC = {
    "%": "%(levelname)s:%(name)s:%(message)s",
    "{": "{levelname}:{name}:{message}",
    "$": "${levelname}:${name}:${message}",
}


def basicConfig(
    *,
    level: int | str | None = None,
    format: str | None = None,
    datefmt: str | None = None,
    style: str = "%",
    stream: Any = None,
    handlers: Any = None,
    force: bool = False,
    **options: Any,
) -> None:
    if options:
        raise Forbidden(f"logging.basicConfig has no `{next(iter(options))}` here")
    if force:
        _root.handlers.clear()
    if not _root.handlers:
        shape = Formatter(format or _BASIC.get(style), datefmt, style)
        for handler in handlers or [StreamHandler(stream)]:
            if handler.formatter is None:
                handler.setFormatter(shape)
            _root.addHandler(handler)
        if level is not None:
            _root.setLevel(level)


def _through_root(name: str) -> Any:
    method = getattr(Logger, name)

    def log(*arguments: Any, **options: Any) -> None:
        if not _root.handlers:
            basicConfig()
        method(_root, *arguments, **options)

    log.__name__ = log.__qualname__ = name
    return log


LOGGING: dict[str, Any] = {
    "NOTSET": NOTSET,
    "DEBUG": DEBUG,
    "INFO": INFO,
    "WARNING": WARNING,
    "WARN": WARNING,
    "ERROR": ERROR,
    "CRITICAL": CRITICAL,
    "FATAL": CRITICAL,
    "root": _root,
    "BASIC_FORMAT": _BASIC["%"],
    **{
        thing.__name__: thing
        for thing in (
            Logger,
            LoggerAdapter,
            Handler,
            StreamHandler,
            NullHandler,
            Formatter,
            Filter,
            LogRecord,
            getLogger,
            basicConfig,
            disable,
            getLevelName,
            addLevelName,
        )
    },
    **{
        name: _through_root(name)
        for name in "debug info warning warn error exception critical fatal log".split()
    },
}
