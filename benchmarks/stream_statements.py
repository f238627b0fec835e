"""Counts the SQL statements of the measured server, from the database's log."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from benchmarks.stream_servers import NAME
from socialcode.embedded.places import Places

_LINE = re.compile(rf"^{NAME}\|LOG:  (?:statement|execute [^:]*): ?(.*(?:\n\t.*)*)$", re.MULTILINE)
_ON = ("log_statement = 'all'", "log_line_prefix = '%a|'")
_OFF = ("log_statement = 'none'", "log_line_prefix = ''")


class Statements(Counter[str]):
    """Number of executions by statement."""

    @property
    def pings(self) -> int:
        """Checks of the connection."""
        return sum(count for text, count in self.items() if not text.strip(" ;\n\t"))

    @property
    def authentication(self) -> int:
        """Statements that authenticate users."""
        return sum(
            count for text, count in self.items() if re.search("accounts_session|auth_user", text)
        )

    @property
    def others(self) -> int:
        return self.total() - self.pings - self.authentication


@contextmanager
def counting() -> Iterator[Statements]:
    """Count the statements of the measured server; the result is complete after the block."""
    log = Places(Path(os.environ["SOCIALCODE_VAR"])).postgres_log
    counted = Statements()
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as database:
        _configure(database, _ON)
        begin = log.stat().st_size
        try:
            yield counted
        finally:
            _configure(database, _OFF)
    with log.open(encoding="utf-8", errors="replace") as lines:
        lines.seek(begin)
        counted.update(_LINE.findall(lines.read()))


def _configure(database: psycopg.Connection[tuple[object, ...]], lines: tuple[str, ...]) -> None:
    for line in lines:
        database.execute(f"alter system set {line}".encode())
    database.execute("select pg_reload_conf()")
