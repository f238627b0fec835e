"""Runs the whole site on this machine: engines, tables, sample content, web server, workers."""

import contextlib
import errno
import logging
import os
import signal
import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

import redis
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, IntegrityError, connection, connections, transaction
from django.db.backends.postgresql.base import DatabaseWrapper
from django.db.migrations.executor import MigrationExecutor

from functions.errors import Refusal, Unavailable
from functions.maintenance.sample_library import have_challenges_to_load, load_samples
from runner.pipelines.doorbell import read_queue_state
from runner.sandbox import INTERPRETER
from runner.sandbox.interpreter_faults import open_faults
from runner.sandbox.status import find_better, summarise_interpreter
from runner.telemetry import batch_log
from socialcode.embedded.engines import Engines
from socialcode.embedded.failures import EngineFailed, disk_full_message, disk_is_full
from socialcode.server.supervisor import Part, Supervisor
from socialcode.web import listen, port_number

DEMO_NAME = "demo"
ANSWER_TIMEOUT_SECONDS = 60
# How long, and how often, the samples' challenges are tried, which wait for the first elections.
CHALLENGES_SECONDS = 300
CHALLENGES_EVERY_SECONDS = 3
# Ctrl-C, a stop by the parent process, a closed terminal.
ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Command(BaseCommand):
    """Run the site until Ctrl-C."""

    help = "Runs the site: engines unless configured, web server and workers. Ctrl-C ends it."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("--host", default=os.environ.get("HOST") or "127.0.0.1")
        port = os.environ.get("PORT") or "8000"
        parser.add_argument("--port", type=port_number, default=port)
        parser.add_argument(
            "--without-samples", action="store_true", help="don't load the sample functions"
        )

    def handle(self, *_: Any, **options: Any) -> None:
        for number in ENDING_SIGNALS:
            signal.signal(number, _interrupt)
        # All processes run here, so they may share the key that is kept here.
        os.environ["SECRET_KEY"] = settings.SECRET_KEY
        engines = Engines(
            settings.VAR_DIR,
            postgres="DATABASE_URL" not in os.environ,
            valkey="REDIS_URL" not in os.environ,
        )
        try:
            with contextlib.ExitStack() as running:
                failed = self._run(running, engines, options)
        except EngineFailed as reason:
            raise CommandError(str(reason)) from reason
        except (DatabaseError, OSError) as error:
            if disk_is_full(settings.VAR_DIR, str(error)):
                raise CommandError(disk_full_message(settings.VAR_DIR)) from error
            raise
        except KeyboardInterrupt:
            self._print("Stopped.")
            return
        raise CommandError(f"{failed} ended, so the site was stopped. See {settings.VAR_DIR}")

    def _run(self, running: contextlib.ExitStack, engines: Engines, options: dict[str, Any]) -> str:
        """Start and watch all processes; return the name of an engine that has ended.

        `running` stops them in reverse order, whatever happens.
        """
        running.callback(engines.stop)
        engines.hold()
        listener = running.enter_context(_listen(options["host"], options["port"]))
        self._print("Starting PostgreSQL and Valkey ...")
        engines.start()
        with _released_connections():
            self._migrate()
        supervisor = Supervisor(settings.BASE_DIR, settings.VAR_DIR / "logs", self._print)
        running.callback(supervisor.stop)
        self._start_web(supervisor, listener)
        supervisor.add("callers", "manage.py", "callers")
        with _released_connections():
            try:
                self._fill(samples=not options["without_samples"])
            except Unavailable as unavailable:
                raise _cannot_run(supervisor.parts[-1]) from unavailable
        self._start_workers(supervisor)
        self._await_workers(supervisor)
        address = f"http://{options['host']}:{options['port']}/"
        self._await_answer(address, supervisor)
        if open_faults(INTERPRETER.version):
            self._print(f"Note: {summarise_interpreter(find_better())}.")
        demo = f"   (sign in as {DEMO_NAME} / {DEMO_NAME})" if settings.DEVELOPMENT else ""
        self._print(f"\nSocial Code is ready: {address}{demo}   Ctrl-C stops it.")
        if not options["without_samples"]:
            threading.Thread(target=_load_challenges, daemon=True).start()
        return supervisor.watch(engines.failed)

    def _migrate(self) -> None:
        """Migrate if needed; checked first, because the command is slow."""
        executor = MigrationExecutor(connection)
        if plan := executor.migration_plan(executor.loader.graph.leaf_nodes()):
            self._print(f"Migrating the database ({len(plan)} steps) ...")
            call_command("migrate", verbosity=0, interactive=False)

    def _start_web(self, supervisor: Supervisor, listener: socket.socket) -> None:
        self._print("Starting the web server ...")
        descriptor = listener.fileno()
        arguments = ("-m", "socialcode.web", "--fd", str(descriptor))
        supervisor.add("web server", *arguments, pass_fds=(descriptor,))

    def _start_workers(self, supervisor: Supervisor) -> None:
        """Start the workers; last, so that they don't slow down the loading of samples."""
        self._print(f"Starting {settings.WORKERS} workers ...")
        for number in range(1, settings.WORKERS + 1):
            supervisor.add(f"worker {number}", "manage.py", "worker")

    def _await_workers(self, supervisor: Supervisor) -> None:
        """Wait until a worker has run a program. Raises CommandError if none ever will."""
        deadline = time.monotonic() + ANSWER_TIMEOUT_SECONDS
        workers = [part for part in supervisor.parts if part.name.startswith("worker")]
        while workers and not _listens(workers):
            if time.monotonic() > deadline or not any(part.is_running() for part in workers):
                raise _cannot_run(workers[0])
            time.sleep(0.05)

    def _fill(self, *, samples: bool) -> None:
        """Load the content of a new site; its programs are run in the background."""
        if settings.DEVELOPMENT:
            _ensure_demo_account()
        if samples:
            self._print("Loading the sample functions ...")
            with _folded_batch_log():
                added = load_samples(report=self._show_progress)
            self._show_progress("")
            if added:
                self._print(f"Loaded the samples: {added} implementations and tests.")

    def _await_answer(self, address: str, supervisor: Supervisor) -> None:
        deadline = time.monotonic() + ANSWER_TIMEOUT_SECONDS
        web = supervisor.parts[0]
        while not _answers(address):
            if not web.is_running() or time.monotonic() > deadline:
                raise CommandError(
                    f"The web server did not start: {web.last_line()}\nFull log: {web.log}"
                )
            time.sleep(0.05)

    def _print(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()

    def _show_progress(self, line: str) -> None:
        """Show progress in one line of a terminal; do nothing for files and pipes."""
        if self.stdout.isatty():
            self.stdout.write(f"\r\x1b[K{line}", ending="")
            self.stdout.flush()


@contextlib.contextmanager
def _folded_batch_log() -> Iterator[None]:
    """Leave out the log lines of batches, of which loading samples submits hundreds."""
    batches = logging.getLogger(batch_log.__name__)
    level = batches.level
    batches.setLevel(logging.WARNING)
    try:
        yield
    finally:
        batches.setLevel(level)


# Errors while the site is being stopped, and samples that somebody has changed.
_ENDINGS = (DatabaseError, redis.RedisError, OSError, Refusal)


def _load_challenges() -> None:
    """Publish the samples' challenges, which wait for elections; the next start does the rest."""
    deadline = time.monotonic() + CHALLENGES_SECONDS
    with contextlib.suppress(*_ENDINGS), _released_connections():
        while have_challenges_to_load() and time.monotonic() < deadline:
            time.sleep(CHALLENGES_EVERY_SECONDS)
            with _folded_batch_log():
                load_samples(report=lambda _: None)


def _ensure_demo_account() -> None:
    """Create the account demo / demo, in development only."""
    if User.objects.filter(username=DEMO_NAME).exists():
        return
    try:
        with transaction.atomic():
            User.objects.create_user(DEMO_NAME, password=DEMO_NAME)
    except IntegrityError:
        return  # created by a concurrent start


def _cannot_run(part: Part) -> CommandError:
    """Return the error for a process that can't run programs."""
    return CommandError(
        "Programs can't be run on this machine, so the site was not started."
        f" Last line of the {part.name}'s log: {part.last_line()}\n"
        "Run `.venv/bin/python manage.py sandbox_status` to see what is missing; for remedies see"
        " docs/operations.md (How programs are confined here)."
        f"\nFull log: {part.log}"
    )


def _interrupt(*_: Any) -> NoReturn:
    # The first signal starts an orderly shutdown; until that has begun, others are ignored.
    for number in ENDING_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def _listen(host: str, port: int) -> socket.socket:
    try:
        return listen(host, port)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise CommandError(
                f"Port {port} is in use by another program. Stop that one, or choose another"
                f" port: make run PORT={port + 1}"
            ) from error
        raise CommandError(
            f"Port {port} of {host} cannot be opened: {error.strerror}. Choose another port:"
            " make run PORT=8000"
        ) from error


def _listens(workers: Sequence[Part]) -> bool:
    """Return whether a worker listens, which it does after it has run a trial program."""
    machine = socket.gethostname()
    ours = {f"{machine}:{part.child.pid}" for part in workers if part.child is not None}
    try:
        return not ours.isdisjoint(read_queue_state().workers)
    except redis.RedisError:
        return False


def _answers(address: str) -> bool:
    try:
        urllib.request.urlopen(address, timeout=5).close()  # noqa: S310 - our own address
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True


@contextlib.contextmanager
def _released_connections() -> Iterator[None]:
    """Release all database connections after the block; this process runs for long."""
    try:
        yield
    finally:
        connections.close_all()
        wrapper = connections["default"]
        if isinstance(wrapper, DatabaseWrapper) and settings.DATABASE_POOL:
            wrapper.close_pool()
