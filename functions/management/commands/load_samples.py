"""`manage.py load_samples`: fills the site with the sample library."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from functions.errors import Unavailable
from functions.maintenance.sample_library import load_samples


class Command(BaseCommand):
    """Publish the sample functions that the site lacks; workers run them."""

    help = "Publish the sample functions that the site lacks."

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        def report(text: str) -> None:
            if options["verbosity"] > 0:
                self.stdout.write(text)

        try:
            published = load_samples(report=report)
        except Unavailable as unavailable:
            raise CommandError(unavailable.message) from unavailable
        report(f"{published} works published." if published else "All samples are published.")
