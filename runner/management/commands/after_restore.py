"""Starts a new epoch of all topics after a backup has been restored."""

from typing import Any

from django.core.management.base import BaseCommand

from runner.events.topics import begin_epoch


class Command(BaseCommand):
    """`manage.py after_restore`."""

    help = "Run once when a backup has been restored, before the site is started again."
    requires_system_checks: list[str] = []

    def handle(self, *_args: Any, **_options: Any) -> None:
        epoch = begin_epoch()
        self.stdout.write(
            f"All topics are in epoch {epoch}; clients read them anew. Now start the site again."
        )
