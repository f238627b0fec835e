"""`manage.py restore`: puts a backup in the place of the database."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import redis
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand

from runner.events.topics import begin_epoch
from socialcode.backups.archive import restore


class Command(BaseCommand):
    """Restore a backup with all processes stopped; it is restored whole or not at all."""

    help = "Restore a backup. All processes of the site have to be stopped."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--replace", action="store_true", help="overwrite what is there")

    def handle(self, *_args: Any, file: Path, replace: bool, **_options: Any) -> None:
        restore(file, replace=replace)
        # The backup may be of an older version.
        call_command("migrate", interactive=False, verbosity=0)
        epoch = begin_epoch()
        self.stdout.write(f"Restored {file}. All topics are in epoch {epoch}.")
        self._empty_valkey()
        self.stdout.write("Now start the site again.")

    def _empty_valkey(self) -> None:
        """Drop counters, presence and doorbells, which are of another history."""
        try:
            with redis.Redis.from_url(settings.REDIS_URL) as client:
                client.flushdb()
        except redis.RedisError as error:
            self.stderr.write(
                f"Valkey was not emptied: {error}. Empty it (FLUSHDB) before the start."
            )
