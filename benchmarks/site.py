"""A private site for measurement: engines that write through to disk, web server, workers."""

from __future__ import annotations

import http.client
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from socialcode.embedded.children import start_child, stop_child
from socialcode.embedded.engines import Engines
from socialcode.web import listen

ROOT = Path(__file__).resolve().parents[1]
HOST = "127.0.0.1"
START_TIMEOUT_SECONDS = 60.0
IDLE_SECONDS = 3.0  # the server keeps an idle connection for five
USER = "bench"


class ApiError(Exception):
    """A request failed."""


class Api:
    """A client of the site's REST API with a persistent connection."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection(HOST, port, timeout=30)
        self._headers = {"Content-Type": "application/json"}
        self._used_at = 0.0

    def another(self) -> Api:
        """Return a client with another connection and the same token."""
        other = Api(self._connection.port)
        other._headers = self._headers
        return other

    def sign_in(self, username: str, password: str) -> None:
        """Get a token, which is sent with later requests."""
        answer = self.request("POST", "tokens/", {"username": username, "password": password})
        self._headers["Authorization"] = f"Bearer {answer['token']}"

    def request(self, method: str, path: str, body: Any = None) -> Any:
        """Return the decoded response. Raises ApiError unless the request succeeded."""
        text = None if body is None else json.dumps(body)
        return json.loads(self._answer(method, f"/api/v1/{path}", text))

    def page(self, path: str) -> str:
        """Return one of the site's pages."""
        return self._answer("GET", path, None).decode()

    def _answer(self, method: str, path: str, body: str | None) -> bytes:
        if time.monotonic() - self._used_at > IDLE_SECONDS:
            self._connection.close()  # before the server does; the next request opens a new one
        self._connection.request(method, path, body, self._headers)
        response = self._connection.getresponse()
        answer = response.read()
        self._used_at = time.monotonic()
        if response.status >= http.client.BAD_REQUEST:
            raise ApiError(f"{method} {path}: {response.status} {answer[:500]!r}")
        return answer

    def is_there(self) -> bool:
        """Return whether the site responds."""
        try:
            self.request("GET", "functions/?limit=1")
        except (OSError, http.client.HTTPException):
            self._connection.close()
            return False
        return True


def start_python(
    name: str,
    *words: str,
    folder: Path,
    environment: Mapping[str, str],
    pass_fds: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    """Start a Python process that ends with this one and writes `name`.log in the folder."""
    return start_child(
        [sys.executable, *words],
        log=folder / f"{name}.log",
        folder=ROOT,
        environment=environment,
        pass_fds=pass_fds,
    )


def last_words(folder: Path) -> str:
    """Return the ends of all logs below this folder."""
    return "\n".join(
        f"--- {log.relative_to(folder)}\n{log.read_text('utf-8', errors='replace')[-3000:]}"
        for log in sorted(folder.rglob("*.log"))
    )


class PrivateSite:
    """A site in a temporary folder.

    Without `web` it has only a database, a Redis and what the benchmark starts. Rate limits are off
    without `limits`.
    """

    def __init__(self, *, workers: int, web: bool = True, limits: bool = False) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="socialcode-bench-"))
        self._engines = Engines(self._folder, durable=True)
        self._workers = workers
        self._web, self._limits = web, limits
        self._children: list[subprocess.Popen[bytes]] = []
        self._pids: dict[str, int] = {}
        self.database_url = self._engines.places.database_url
        self.redis_url = self._engines.places.redis_url
        self.port = 0
        self.api: Api

    @property
    def pids(self) -> dict[str, int]:
        """All process ids of the site, by name."""
        return {**dict(zip(("postgres", "valkey"), self._engines.pids, strict=True)), **self._pids}

    @property
    def socket_url(self) -> str:
        return f"ws://{HOST}:{self.port}/ws/"

    @property
    def origin(self) -> str:
        return f"http://{HOST}:{self.port}"

    def __enter__(self) -> Self:
        try:
            self._engines.start()
            self._manage("migrate", "--verbosity", "0")
            if self._web:
                self._open()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _open(self) -> None:
        password = secrets.token_urlsafe()
        self._manage(
            *("createsuperuser", "--noinput", "--username", USER, "--email", "b@localhost"),
            DJANGO_SUPERUSER_PASSWORD=password,
        )
        self._start_web()
        for number in range(1, self._workers + 1):
            self.start(f"worker-{number}", "manage.py", "worker")
        self.start("callers", "manage.py", "callers")
        self._await_answer()
        self.api.sign_in(USER, password)

    def start(self, name: str, *words: str, pass_fds: tuple[int, ...] = ()) -> None:
        """Start a Python process with this site's environment, which ends with the site."""
        child = start_python(
            name, *words, folder=self._folder, environment=self.environment(), pass_fds=pass_fds
        )
        self._children.append(child)
        self._pids[name] = child.pid

    def ask(self, *words: str) -> str:
        """Run a Python process with this site's environment; return its output."""
        return subprocess.run(
            [sys.executable, *words],
            cwd=ROOT,
            env=self.environment(),
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        ).stdout

    def logs(self) -> str:
        """Return the ends of all logs."""
        return last_words(self._folder)

    def stop(self) -> None:
        """Stop all processes in reverse order, and remove the folder."""
        while self._children:
            stop_child(self._children.pop(), signal.SIGTERM)
        self._engines.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def environment(self, **more: str) -> dict[str, str]:
        """Return the environment of this site's processes."""
        return {
            **os.environ,
            "SECRET_KEY": "for-benchmarks-only-" * 3,
            "DATABASE_URL": self.database_url,
            "REDIS_URL": self.redis_url,
            "SOCIALCODE_VAR": str(self._folder),
            "SOCIALCODE_WORKERS": str(self._workers),
            "SOCIALCODE_CHANNEL_PREFIX": "bench",
            # As in production, except for TLS.
            "SOCIALCODE_DEVELOPMENT": "0",
            "SOCIALCODE_SECURE": "0",
            "SOCIALCODE_RATE_LIMITS": str(int(self._limits)),
            "SOCIALCODE_COLLECTED_STATIC": "0",
            "SOCIALCODE_LOG_LEVEL": "WARNING",
            **more,
        }

    def _manage(self, *words: str, **environment: str) -> None:
        subprocess.run(
            [sys.executable, "manage.py", *words],
            cwd=ROOT,
            env=self.environment(**environment),
            check=True,
            stdout=subprocess.DEVNULL,
        )

    def _start_web(self) -> None:
        with listen(HOST, 0) as listener:
            self.port = listener.getsockname()[1]
            handle = listener.fileno()
            self.start("web", "-m", "socialcode.web", "--fd", str(handle), pass_fds=(handle,))
        self.api = Api(self.port)

    def _await_answer(self) -> None:
        deadline = time.monotonic() + START_TIMEOUT_SECONDS
        checks = self._engines.places.analysis_socket
        while not (self.api.is_there() and checks.exists()):
            if time.monotonic() > deadline:
                raise TimeoutError(f"the site did not come up\n{self.logs()}")
            time.sleep(0.05)
