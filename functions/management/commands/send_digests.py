"""`manage.py send_digests`: sends due e-mail digests; to be scheduled."""

import logging
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from functions.maintenance.digests import send_digests

log = logging.getLogger(__name__)


class Command(BaseCommand):
    """Send what is due; whoever got one in this period gets none, however often this is run."""

    help = "Send the e-mail digests that are due."

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        try:
            count = send_digests()
        except OSError as error:
            raise CommandError(f"The mail server can't be reached: {error}") from error
        self.stdout.write(f"{count} digests sent.")
