"""Sweeps, on machines without workers."""

import signal
import threading
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import connection

from runner.management.statements import limit_statements
from runner.operations.sweeper import DATABASE_AWAY, Swept, sweep


class Command(BaseCommand):
    """`manage.py sweep`."""

    help = "Restart what crashes and lost messages have left behind (workers do so themselves)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--every",
            type=float,
            metavar="SECONDS",
            help="sweep at this interval until SIGTERM; the default is to sweep once",
        )

    def handle(self, *_args: Any, every: float | None, **_options: Any) -> None:
        limit_statements()
        if every is None:
            self.stdout.write(_summary(sweep()))
            return
        stopping = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stopping.set())
        while not stopping.is_set():
            try:
                self.stdout.write(_summary(sweep()))
            except DATABASE_AWAY as error:
                self.stderr.write(f"the database is away: {error}")
                connection.close()
            stopping.wait(every)


def _summary(swept: Swept) -> str:
    bell = ", workers were notified" if swept.notified else ""
    work = "work is ready" if swept.is_work_ready else "no work is ready"
    return f"{swept.released} released, {swept.sequenced} sequenced, {work}{bell}"
