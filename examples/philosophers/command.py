"""Has philosophers dine on running workers that have this example, and shows who holds what."""

import logging
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from examples.philosophers.table import (
    Seat,
    Table,
    clear_table,
    is_idle,
    lay_table,
    notify_workers_if_due,
    read_seats,
    renew_table,
    seat_numbers,
)
from runner.semaphores.deadlocks import Cycle, find_deadlocks, report_deadlocks

DEADLOCKED = 3
INTERRUPTED = 130
LOOK_SECONDS = 0.1
PATIENCE_SECONDS = 60.0
CLEAR_TRIES = 50


class Command(BaseCommand):
    """Lays a table, shows it until all have eaten or none can go on, and clears it."""

    help = (
        "Dine. Ends with 0 when all have eaten and all forks are free,"
        " with 3 when they are deadlocked."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("--seats", type=int, default=5, choices=range(2, 100), metavar="N")
        parser.add_argument("--rounds", type=int, default=5, choices=range(1, 1000), metavar="N")
        parser.add_argument(
            "--order",
            choices=("naive", "ordered"),
            default="ordered",
            help="naive: the left fork first; ordered: the fork of the lower number first",
        )
        parser.add_argument("--eating", type=float, default=0.2, metavar="SECONDS")

    def handle(self, *_args: Any, **options: Any) -> None:
        previous = signal.signal(signal.SIGTERM, signal.default_int_handler)
        table = lay_table(
            seats=options["seats"],
            rounds=options["rounds"],
            ordered=options["order"] == "ordered",
            eating_ms=int(options["eating"] * 1000),
        )
        with _unlogged():
            try:
                cycles = self._watch(table)
            except KeyboardInterrupt:
                connection.close()  # amid a statement it may be of no use any more
                self.stdout.write("Interrupted.")
                raise SystemExit(INTERRUPTED) from None
            finally:
                self._clear(table)
                signal.signal(signal.SIGTERM, previous)
        if cycles:
            raise SystemExit(DEADLOCKED)

    def _watch(self, table: Table) -> list[Cycle]:
        """Show the table until it ends; return the deadlocks."""
        seen: list[Seat] = []
        moved_at = kept_at = time.monotonic()
        while True:
            # Read first, so that it is no newer than what is shown.
            is_over = is_idle(table)
            cycles = find_deadlocks(under=table.host)
            seats = read_seats(table)
            now = time.monotonic()
            if seats != seen:
                self._show(table, seats, again=bool(seen))
                seen, moved_at = seats, now
            if cycles:
                report_deadlocks()
                self._print_deadlock(table, seats, cycles)
                return cycles
            if is_over:
                self._print_end(table, seats)
                return []
            if now - moved_at > PATIENCE_SECONDS:
                raise CommandError(f"Nothing has moved for {PATIENCE_SECONDS:.0f} s.")
            if now - kept_at > settings.LEASE_SECONDS / 3:
                kept_at = now
                if not renew_table(table):
                    raise CommandError("This process was stopped for so long that it lost all.")
            notify_workers_if_due(table)
            time.sleep(LOOK_SECONDS)

    def _show(self, table: Table, seats: list[Seat], *, again: bool) -> None:
        """Draw the table over the last one, or write one line if there is no terminal."""
        if not self.stdout.isatty():
            self.stdout.write(
                "  ".join(f"{seat.number}: {_describe(seat, table)}" for seat in seats)
            )
            return
        if again:
            self.stdout.write(f"\x1b[{table.seats}F", ending="")
        for seat in seats:
            meals = f"{seat.meals}/{table.rounds}"
            line = f"{seat.number:>4}  {meals:>7}  {_describe(seat, table)}"
            self.stdout.write(f"\x1b[2K{line}")

    def _print_deadlock(self, table: Table, seats: list[Seat], cycles: list[Cycle]) -> None:
        held = sum(len(seat.holds) for seat in seats)
        for cycle in cycles:
            around = seat_numbers([wait.holder for wait in cycle])
            start = around.index(min(around, key=int))
            turned = around[start:] + around[: start + 1]
            everything = held == table.seats == len(cycle)
            what = "every fork held, everyone waiting" if everything else "a circle"
            self.stdout.write(f"Deadlock: {what}: {' → '.join(turned)}")

    def _print_end(self, table: Table, seats: list[Seat]) -> None:
        if hungry := [str(seat.number) for seat in seats if seat.meals < table.rounds]:
            raise CommandError(f"Lost their place before the last round: {', '.join(hungry)}")
        meals = sum(seat.meals for seat in seats)
        self.stdout.write(f"All have eaten ({meals} meals), and all forks are free.")

    def _clear(self, table: Table) -> None:
        for _ in range(CLEAR_TRIES):
            if clear_table(table):
                return
            time.sleep(LOOK_SECONDS)
        self.stdout.write("What is left of the table is cleared by the workers' next sweep.")


@contextmanager
def _unlogged() -> Iterator[None]:
    """Suppress log lines, which would disturb the table and say nothing that it doesn't."""
    ours = logging.getLogger("runner")
    former = ours.level
    ours.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        ours.setLevel(former)


def _describe(seat: Seat, table: Table) -> str:
    forks = "+".join(held.removeprefix("fork ") for held in seat.holds if held != "gate")
    if "gate" in (*seat.holds, seat.waits_for):
        return f"has {forks}, waits for the others"
    if seat.waits_for:
        return f"has {forks or 'none'}, waits for {seat.waits_for.removeprefix('fork ')}"
    if len(seat.holds) == 2:
        return f"has {forks}, eats"
    if forks:
        return f"has {forks}"
    return "is done" if seat.meals == table.rounds else "thinks"
