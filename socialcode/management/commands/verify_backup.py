"""`manage.py verify_backup`: restores a backup elsewhere, and checks what it holds."""

import os
import subprocess
import sys
import tempfile
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from socialcode.backups.archive import BackupFailed
from socialcode.embedded.engines import Engines
from socialcode.embedded.places import Places


class Command(BaseCommand):
    """Restore into a PostgreSQL of its own, which is gone afterwards."""

    help = "Restore a backup into a temporary PostgreSQL, and verify it there."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *_args: Any, file: Path, **_options: Any) -> None:
        with (
            tempfile.TemporaryDirectory(prefix="socialcode-verify-") as folder,
            Engines(Path(folder), durable=False) as engines,
        ):
            self._restore(engines.places, file.resolve())
        self.stdout.write(f"{file} can be restored, and is consistent.")

    def _restore(self, places: Places, file: Path) -> None:
        environment = os.environ | {
            "DATABASE_URL": places.database_url,
            "REDIS_URL": places.redis_url,
        }
        # The second compares standings and tallies with what they follow from.
        for words in (["restore", str(file)], ["verify"]):
            ended = subprocess.run(
                [sys.executable, str(settings.BASE_DIR / "manage.py"), *words],
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            self.stdout.write(f"{words[0]}: {ended.stdout.strip()}")
            if ended.returncode:
                raise BackupFailed(f"{words[0]} failed. {ended.stderr.strip()[-1000:]}")
