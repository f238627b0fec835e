"""The security log, as it would be written."""

import json
import logging
from collections.abc import Iterator
from typing import Any, cast

import pytest


class SecurityLog(logging.Handler):
    """Keeps the lines of the security log."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The fields of each line."""
        return [cast("dict[str, Any]", record.msg) for record in self.records]

    @property
    def text(self) -> str:
        """Everything that was logged."""
        return json.dumps(self.lines, default=str)


@pytest.fixture
def security_log() -> Iterator[SecurityLog]:
    """Keep the lines of the test."""
    log, logger = SecurityLog(), logging.getLogger("security")
    logger.addHandler(log)
    yield log
    logger.removeHandler(log)
