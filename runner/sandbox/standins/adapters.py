"""`logging.LoggerAdapter`: a logger that adds something to whatever it is told."""

from __future__ import annotations

from typing import Any

from runner.sandbox.standins.records import CRITICAL, DEBUG, ERROR, INFO, WARNING


class LoggerAdapter:
    """logging.LoggerAdapter."""

    def __init__(self, logger: Any, extra: Any = None) -> None:
        self.logger = logger
        self.extra = extra

    def process(self, msg: Any, kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        kwargs["extra"] = self.extra
        return msg, kwargs

    def log(self, level: int, msg: Any, *args: Any, **kwargs: Any) -> None:
        if self.isEnabledFor(level):
            msg, kwargs = self.process(msg, kwargs)
            self.logger.log(level, msg, *args, **kwargs)

    def exception(self, msg: Any, *args: Any, exc_info: Any = True, **kwargs: Any) -> None:
        self.log(ERROR, msg, *args, exc_info=exc_info, **kwargs)

    def isEnabledFor(self, level: int) -> bool:
        return bool(self.logger.isEnabledFor(level))

    def setLevel(self, level: int | str) -> None:
        self.logger.setLevel(level)

    def getEffectiveLevel(self) -> int:
        return int(self.logger.getEffectiveLevel())

    def hasHandlers(self) -> bool:
        return bool(self.logger.hasHandlers())

    @property
    def name(self) -> str:
        return str(self.logger.name)

    def debug(self, msg: Any, *args: Any, **kwargs: Any) -> None:
        self.log(DEBUG, msg, *args, **kwargs)

    def info(self, msg: Any, *args: Any, **kwargs: Any) -> None:
        self.log(INFO, msg, *args, **kwargs)

    def warning(self, msg: Any, *args: Any, **kwargs: Any) -> None:
        self.log(WARNING, msg, *args, **kwargs)

    warn = warning

    def error(self, msg: Any, *args: Any, **kwargs: Any) -> None:
        self.log(ERROR, msg, *args, **kwargs)

    def critical(self, msg: Any, *args: Any, **kwargs: Any) -> None:
        self.log(CRITICAL, msg, *args, **kwargs)
