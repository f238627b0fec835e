"""Reports how programs are confined on this machine."""

import sys
from typing import Any

from django.core.management.base import BaseCommand

from runner.sandbox import confinement_status


class Command(BaseCommand):
    """`manage.py sandbox_status`."""

    help = "Report how programs are confined on this machine. Exits with 1 if none may be run."
    requires_system_checks: list[str] = []

    def handle(self, *_args: Any, **_options: Any) -> None:
        layers, lines = confinement_status()
        self.stdout.write("\n".join(lines))
        if layers is None:
            sys.exit(1)
