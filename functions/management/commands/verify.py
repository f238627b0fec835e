"""`manage.py verify`: checks standings, tallies and views against the rules and their sources."""

import sys
from typing import Any

from django.core.management.base import BaseCommand

from functions.maintenance.verification import find_differences


class Command(BaseCommand):
    """Print every difference; exits with 1 if there is any."""

    help = "Check all standings, tallies and document views against the rules and their sources."

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        count = 0
        for difference in find_differences():
            self.stdout.write(difference)
            count += 1
        self.stdout.write(f"{count} differences." if count else "No differences.")
        if count:
            sys.exit(1)
