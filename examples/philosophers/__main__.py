"""Has philosophers dine on a private site: a database, Redis and workers of its own."""

import os
import secrets
import signal
import sys
import tempfile
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path

import django
from django.core.management import call_command

from socialcode.embedded.children import start_child, stop_child
from socialcode.embedded.engines import Engines

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = "examples.philosophers.settings"
WORKERS = 2


def main() -> None:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="philosophers-")))
        engines = Engines(folder, durable=False)
        os.environ |= {
            "DJANGO_SETTINGS_MODULE": SETTINGS,
            "SECRET_KEY": secrets.token_urlsafe(64),
            "DATABASE_URL": engines.places.database_url,
            "REDIS_URL": engines.places.redis_url,
            "SOCIALCODE_VAR": str(folder),
        }
        django.setup()
        # Not an import above: it needs Django set up with this environment.
        command = import_module("examples.philosophers.command").Command()
        words = [sys.argv[0], "", *sys.argv[1:]]
        command.create_parser(*words[:2]).parse_args(words[2:])  # before anything is started
        stack.enter_context(engines)
        call_command("migrate", verbosity=0)
        for number in range(WORKERS):
            worker = start_child(
                [sys.executable, "manage.py", "worker"],
                log=folder / f"worker-{number}.log",
                folder=ROOT,
                environment=os.environ,
            )
            stack.callback(stop_child, worker, signal.SIGTERM)
        command.run_from_argv(words)


if __name__ == "__main__":
    main()
