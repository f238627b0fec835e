"""A whole running site for tests: a web server and workers, as processes, on the test database."""

import os
import signal
import sys
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import Popen
from urllib.parse import urlsplit, urlunsplit

import pytest
from django.db import connection

from runner.models import Batch, Execution, FollowUp
from runner.states import OPEN_STATES, BatchState
from socialcode.embedded.children import start_child, stop_child
from socialcode.web import listen
from tests.patience import PATIENCE_SECONDS

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Site:
    """A web server and its workers."""

    folder: Path
    environment: dict[str, str]
    port: int = 0
    web: Popen[bytes] | None = None
    callers: Popen[bytes] | None = None
    workers: list[Popen[bytes]] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def socket_url(self) -> str:
        return f"ws://127.0.0.1:{self.port}/ws/"

    def start_web(self) -> None:
        """Serve on a port of the kernel's choice; once chosen, a restart keeps it."""
        with listen("127.0.0.1", self.port) as listener:
            self.port = listener.getsockname()[1]
            self.web = self._start(
                "-m",
                "socialcode.web",
                "--fd",
                str(listener.fileno()),
                log="web",
                pass_fds=(listener.fileno(),),
            )
        self._await_answer()

    def start_worker(self) -> Popen[bytes]:
        """Start one more worker."""
        worker = self._start("manage.py", "worker", log=f"worker-{len(self.workers) + 1}")
        self.workers.append(worker)
        return worker

    def start_callers(self) -> None:
        """Serve calls and check source, unless that is done."""
        if self.callers is not None and self.callers.poll() is None:
            return
        names = ("SOCIALCODE_CALLERS_SOCKET", "SOCIALCODE_ANALYSIS_SOCKET")
        sockets = [Path(self.environment[name]) for name in names]
        for socket in sockets:
            socket.unlink(missing_ok=True)
        self.callers = self._start("manage.py", "callers", log="callers")
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not all(socket.exists() for socket in sockets):
            if time.monotonic() > deadline or self.callers.poll() is not None:
                pytest.fail(f"calls are not served\n{self.logs()}")
            time.sleep(0.05)

    def complete(self, *, workers: int) -> None:
        """Start anew what a test before has ended."""
        self.workers = [worker for worker in self.workers if worker.poll() is None]
        while len(self.workers) < workers:
            self.start_worker()
        if self.web is None or self.web.poll() is not None:
            self.start_web()
        self.start_callers()

    def pause_workers(self) -> None:
        """Have the workers stand still, none of them in the midst of something others wait for."""
        while True:
            for worker in self.workers:
                worker.send_signal(signal.SIGSTOP)
                os.waitid(os.P_PID, worker.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
            if not _is_anybody_at_it():
                return
            self.resume_workers()
            time.sleep(0.01)

    def resume_workers(self) -> None:
        """Let them go on."""
        for worker in self.workers:
            worker.send_signal(signal.SIGCONT)

    def kill_workers(self) -> None:
        """End all workers the hard way."""
        while self.workers:
            stop_child(self.workers.pop(), signal.SIGKILL)

    def stop(self) -> None:
        """End everything in an orderly way."""
        children = [self.web, self.callers, *self.workers]
        for child in children:
            if child is not None and child.poll() is None:
                child.send_signal(signal.SIGTERM)
        for child in children:
            if child is not None:
                stop_child(child, signal.SIGTERM)
        self.web = self.callers = None
        self.workers.clear()

    def logs(self) -> str:
        """Return what the processes said last."""
        return "\n".join(
            f"--- {log.name}\n{log.read_text(encoding='utf-8', errors='replace')[-4000:]}"
            for log in sorted(self.folder.glob("*.log"))
        )

    def _start(self, *words: str, log: str, pass_fds: tuple[int, ...] = ()) -> Popen[bytes]:
        return start_child(
            [sys.executable, *words],
            log=self.folder / f"{log}.log",
            folder=ROOT,
            environment=self.environment,
            pass_fds=pass_fds,
        )

    def _await_answer(self) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                urllib.request.urlopen(self.url, timeout=5).close()
            except urllib.error.HTTPError:
                return
            except OSError:
                if time.monotonic() > deadline or (self.web and self.web.poll() is not None):
                    pytest.fail(f"the site did not come up\n{self.logs()}")
                time.sleep(0.05)
            else:
                return


def url_of_test_database() -> str:
    """Return the address of the database that the tests use, for other processes."""
    parts = urlsplit(os.environ["DATABASE_URL"])
    return urlunsplit(parts._replace(path=f"/{connection.settings_dict['NAME']}"))


def _is_anybody_at_it() -> bool:
    """Tell whether another process is in a transaction."""
    with connection.cursor() as cursor:
        cursor.execute(
            "select exists (select from pg_stat_activity where datname = current_database()"
            " and backend_type = 'client backend' and state <> 'idle' and pid <> pg_backend_pid())"
        )
        return bool(cursor.fetchone()[0])


def becomes_quiet() -> bool:
    """Wait until no program is waiting or running, so that emptying the tables disturbs nobody."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    unfinished = (
        Execution.objects.filter(state__in=OPEN_STATES),
        Batch.objects.filter(state=BatchState.OPEN),
        FollowUp.objects.all(),
    )
    while any(rows.exists() for rows in unfinished):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True
