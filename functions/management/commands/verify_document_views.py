"""`manage.py verify_document_views [name]`: compares views with their sources."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from functions.document_views.verification import find_wrong_views
from functions.read_models.snapshot import snapshot


class Command(BaseCommand):
    """Print every difference; exits with 1 if there is any."""

    help = "Check the document views, or one of them, against their sources."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", nargs="?", default="", help="of one view")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        count = 0
        with snapshot():
            for difference in find_wrong_views(options["name"]):
                self.stdout.write(difference)
                count += 1
        self.stdout.write(f"{count} differences." if count else "No differences.")
        if count:
            sys.exit(1)
