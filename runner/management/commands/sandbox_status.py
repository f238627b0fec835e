"""Reports how programs are confined on this machine, and on which Python they run."""

import json
import sys
from typing import Any

from django.core.management.base import BaseCommand

from runner.sandbox import inspect


class Command(BaseCommand):
    """`manage.py sandbox_status`."""

    help = (
        "Try each layer that confines programs on this machine, and report what holds, what is"
        " missing and how to get it, and the Python that runs programs. Exits with 1 if none may"
        " be run."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *_args: Any, **options: Any) -> None:
        status = inspect()
        text = json.dumps(status.as_json(), indent=2) if options["json"] else None
        self.stdout.write(text or "\n".join(status.lines()))
        if status.layers is None:
            sys.exit(1)
