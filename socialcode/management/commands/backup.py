"""`manage.py backup`: writes the database to a file."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from socialcode.backups.archive import BackupFailed, dump


class Command(BaseCommand):
    """Back up while the site runs; the file has the database as of one moment."""

    help = "Write the database, as of one moment, to a file that isn't there yet."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *_args: Any, file: Path, **_options: Any) -> None:
        if file.exists():
            raise BackupFailed(f"{file} is there already. Choose another name.")
        dump(file)
        size = file.stat().st_size / 1_000_000
        self.stdout.write(f"Wrote {file}: {size:.1f} MB. `manage.py verify_backup` tries it.")
