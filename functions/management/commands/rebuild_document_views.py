"""`manage.py rebuild_document_views [name]`: computes views from scratch."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from functions.document_views.build import rebuild
from functions.models import DocumentView


class Command(BaseCommand):
    """Rebuild views; their readers see the former groups until the end, and writers don't wait."""

    help = "Compute the document views, or one of them, from their sources."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", nargs="?", default="", help="of one view")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        views = DocumentView.objects.order_by("pk")
        if name := options["name"]:
            views = views.filter(name__iexact=name)
            if not views:
                raise CommandError(f"There is no view {name}.")
        for view in views:
            rebuild(view)
            self.stdout.write(f"{view}: rebuilt.")
