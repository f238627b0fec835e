"""`manage.py send_digests`: sends due e-mail digests; run it daily, for example by cron."""

import logging
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from functions.maintenance.digests import send_digests

log = logging.getLogger(__name__)


class Command(BaseCommand):
    """Send due digests; each user gets at most one per period, however often this is run."""

    help = "Send the e-mail digests that are due."

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        try:
            count = send_digests()
        except OSError as error:
            raise CommandError(f"The mail server can't be reached: {error}") from error
        self.stdout.write(f"{count} digests sent.")
