"""Sweeps once, for a machine on which no worker does it."""

from typing import Any

from django.core.management.base import BaseCommand

from runner.sweeping import sweep


class Command(BaseCommand):
    """`manage.py sweep`."""

    help = "Set going again what a crash or a lost message left behind (workers do so themselves)."

    def handle(self, *_args: Any, **_options: Any) -> None:
        swept = sweep()
        bell = ", the bell was rung" if swept.rang else ""
        work = "there is work" if swept.is_work_ready else "there is no work"
        self.stdout.write(f"{swept.rescued} rescued, {swept.joined} joined, {work}{bell}")
