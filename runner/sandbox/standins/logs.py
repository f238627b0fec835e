"""`logging` of our own, small, and with `%` alone: its other styles read attributes by name."""

from __future__ import annotations

import sys
from typing import Any

from runner.sandbox.guards import Forbidden
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
    Handler,
    LogRecord,
    NullHandler,
    StreamHandler,
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
        self, level: int, msg: Any, *args: Any, exc_info: Any = None, extra: Any = None, **_: Any
    ) -> None:
        if not self.isEnabledFor(level):
            return
        error = exc_info if isinstance(exc_info, BaseException) else None
        if exc_info and error is None:
            error = sys.exception()
        record = LogRecord(self.name, level, msg, args, error)
        for name, value in (extra or {}).items():
            # As a plain attribute of a plain object, under a name that means nothing.
            if type(name) is str and not name.startswith("_"):
                setattr(record, name, value)
        self.handle(record)

    def handle(self, record: LogRecord) -> None:
        if not self.filter(record):
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
        shape = Formatter(format or "%(levelname)s:%(name)s:%(message)s", datefmt, style)
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
    **{
        thing.__name__: thing
        for thing in (
            Logger,
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
