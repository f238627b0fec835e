"""The tested processes: engines, workers (one behind a proxy), web servers, load."""

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import redis

from benchmarks.site import HOST, ROOT, Api, ApiError, last_words, start_python
from chaos.processes import Process, descendants, is_there
from chaos.settings import SETTINGS
from socialcode.embedded.children import stop_child
from socialcode.embedded.engines import Engines
from socialcode.embedded.postgres import start_postgres
from socialcode.embedded.valkey import start_valkey
from socialcode.web import listen

WORKERS = 3
# Outside of the ephemeral range, so that a restarted server finds its port free.
PORTS = range(20_000, 30_000)
LOADS = ("first", "second", "people")
END_SECONDS = 15.0
START_SECONDS = 60.0
LOCK = "load.lock"
# A web server's log line for an error of its own.
NO_EXCUSE = "socket failed"
# Django is set up before the import, which loads models.
LOAD = "import sys, django; django.setup(); from chaos.load import main; main(*sys.argv[1:])"


class Site:
    """All processes, and their folder, which may be kept for inspection."""

    def __init__(self, seed: int, workers: int = WORKERS) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="socialcode-chaos-"))
        self.seed = seed
        self._holder = Engines(self.folder, postgres=False, valkey=False)
        self._places = self._holder.places
        self.workers: list[subprocess.Popen[bytes]] = []
        self._wanted_workers = workers
        self.callers: subprocess.Popen[bytes] | None = None
        self.webs: list[subprocess.Popen[bytes]] = []
        self.web_ports: list[int] = []
        self._loads: dict[str, subprocess.Popen[bytes]] = {}
        self._later: list[tuple[float, Callable[[], object]]] = []
        self._to_be_gone: list[Process] = []
        self.redis = redis.Redis.from_url(
            self._places.redis_url, socket_timeout=2, socket_connect_timeout=2
        )

    def __enter__(self) -> Self:
        try:
            self._holder.start()
            self.postgres = start_postgres(self._places, durable=True)
            self.valkey = start_valkey(self._places, durable=False)
            self._start_proxy()
            self.manage("migrate", "--verbosity", "0")
            self._start_callers()
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

    def environment(self) -> dict[str, str]:
        """Return the environment of the site's processes."""
        return {
            **os.environ,
            **SETTINGS,
            "DATABASE_URL": self._places.database_url,
            "REDIS_URL": self._places.redis_url,
            "SOCIALCODE_VAR": str(self.folder),
            "SOCIALCODE_WORKERS": str(self._wanted_workers),
        }

    def manage(self, *words: str, may_fail: bool = False) -> subprocess.CompletedProcess[str]:
        """Run a management command. Raises if it fails, unless it may."""
        command = [sys.executable, "manage.py", *words]
        environment = self.environment()
        return subprocess.run(
            command,
            cwd=ROOT,
            env=environment,
            check=not may_fail,
            capture_output=True,
            text=True,
        )

    # --- Workers ------------------------------------------------------------------------------

    def keep_workers(self) -> None:
        """Restart workers that have ended; the first one connects through the proxy."""
        while len(self.workers) < self._wanted_workers:
            self.workers.append(self._start_worker(len(self.workers), "manage.py", "worker"))
        for place, worker in enumerate(self.workers):
            if worker.poll() is not None:
                self.workers[place] = self._start_worker(place, "manage.py", "worker")

    def kill_callers(self) -> None:
        """Kill the process that checks source; it is restarted by the next check."""
        if self.callers is not None:
            self.kill_worker(self.callers)

    def _keep_callers(self) -> None:
        if self.callers is not None and self.callers.poll() is not None:
            self.callers = self._start("callers", "manage.py", "callers")

    def _start_callers(self) -> None:
        self.callers = self._start("callers", "manage.py", "callers")
        deadline = time.monotonic() + START_SECONDS
        while not self._places.analysis_socket.exists():
            if time.monotonic() > deadline or self.callers.poll() is not None:
                raise TimeoutError("the process that checks source did not start")
            time.sleep(0.05)

    def replace_worker(self, place: int, *words: str) -> None:
        """Kill this worker, and start another one with this command."""
        self.kill_worker(self.workers[place])
        self.workers[place] = self._start_worker(place, *words)

    def kill_worker(self, worker: subprocess.Popen[bytes]) -> None:
        """Kill only the parent; its children must end by themselves."""
        self.watch_end(worker)
        worker.kill()
        worker.wait()

    def watch_end(self, worker: subprocess.Popen[bytes]) -> None:
        """Record the worker's children, which must end soon."""
        self._to_be_gone += descendants(worker.pid)

    def _start_worker(self, place: int, *words: str) -> subprocess.Popen[bytes]:
        more = {"SOCIALCODE_DATABASE_POOL": "1"}
        if place == 0:
            more["DATABASE_URL"] = f"postgresql://postgres@/socialcode?host={self.proxied}"
        return self._start(f"worker-{place}", *words, **more)

    def left_behind(self) -> list[str]:
        """Return processes that still run although their parents were killed."""
        deadline = time.monotonic() + END_SECONDS
        while self._to_be_gone and time.monotonic() < deadline:
            self._to_be_gone = [process for process in self._to_be_gone if is_there(process)]
            time.sleep(0.05)
        left, self._to_be_gone = self._to_be_gone, []
        return [f"process {process.pid} was left behind" for process in left]

    # --- Web servers --------------------------------------------------------------------------

    def open_webs(self, count: int) -> None:
        """Start web servers, each of which is restarted at its port when it has ended."""
        ports = rng("ports", os.getpid()).sample(PORTS, len(PORTS))
        while len(self.webs) < count:
            port = ports.pop()
            with suppress(OSError):  # the port is in use
                self.webs.append(self._start_web(port))
                self.web_ports.append(port)
        self.await_webs()

    def kill_web(self, place: int) -> None:
        """Kill a web server; it is restarted by the next check."""
        stop_child(self.webs[place], signal.SIGKILL)

    def await_webs(self) -> None:
        """Wait until all web servers respond."""
        deadline = time.monotonic() + START_SECONDS
        while not all(map(_answers, self.web_ports)):
            if time.monotonic() > deadline:
                raise TimeoutError("a web server did not start")
            self.wait(0.1)

    def _keep_webs(self) -> None:
        for place, web in enumerate(self.webs):
            if web.poll() is not None:
                self.webs[place] = self._start_web(self.web_ports[place])

    def _start_web(self, port: int) -> subprocess.Popen[bytes]:
        with listen(HOST, port) as listener:
            handle = listener.fileno()
            return start_python(
                f"web-{port}",
                *("-m", "chaos.serving", "--fd", str(handle)),
                folder=self.folder,
                environment={**self.environment(), "SOCIALCODE_DATABASE_POOL": "1"},
                pass_fds=(handle,),
            )

    # --- The load -----------------------------------------------------------------------------

    def keep_load(self) -> None:
        """Start the load processes; the database must be available."""
        for name in LOADS:
            if name not in self._loads:
                words = (name, str(self.seed), str(self.folder / LOCK))
                self._loads[name] = self._start(f"load-{name}", "-c", LOAD, *words)

    def submitters(self) -> list[Process]:
        """Return the present submitting processes; each has a successor when it is killed."""
        lock = self.folder / LOCK
        inode = f":{lock.stat().st_ino}" if lock.exists() else None
        locks = [line.split() for line in Path("/proc/locks").read_text("ascii").splitlines()]
        pids = {int(words[4]) for words in locks if inode and words[5].endswith(inode)}
        children = [each for load in self._loads.values() for each in descendants(load.pid)]
        return [child for child in children if child.pid in pids]

    def said_to_be_wrong(self) -> list[str]:
        """Return errors in the logs of the load and the web servers."""
        logs = [self.folder / f"load-{name}.log" for name in LOADS]
        lines = [line for log in logs if log.exists() for line in log.read_text().splitlines()]
        webs = [log.read_text() for log in self.folder.glob("web-*.log")]
        lines += [line for web in webs for line in web.splitlines() if NO_EXCUSE in line]
        return [line for line in lines if line.startswith("WRONG") or NO_EXCUSE in line]

    # --- Engines ------------------------------------------------------------------------------

    @property
    def proxied(self) -> Path:
        return self._places.sockets / "cut"

    def restart_postgres(self) -> None:
        """Stop PostgreSQL immediately, like a crash, and start it again."""
        stop_child(self.postgres, signal.SIGQUIT)
        self.postgres = start_postgres(self._places, durable=True)

    def restart_valkey(self) -> None:
        """Kill Valkey, and start it without data."""
        stop_child(self.valkey, signal.SIGKILL)
        self.valkey = start_valkey(self._places, durable=False)

    def _start_proxy(self) -> None:
        self.proxied.mkdir(mode=0o700)
        name = ".s.PGSQL.5432"
        listen, target = self.proxied / name, self._places.sockets / name
        self.proxy = self._start("proxy", "-m", "chaos.proxy", str(listen), str(target))
        while not listen.exists():
            time.sleep(0.02)

    # --- Time ---------------------------------------------------------------------------------

    def later(self, seconds: float, act: Callable[[], object]) -> None:
        """Schedule a call for `wait` to make."""
        self._later.append((time.monotonic() + seconds, act))

    def wait(self, seconds: float) -> None:
        """Wait, make due calls, and keep workers and web servers running."""
        until = time.monotonic() + seconds
        while True:
            now = time.monotonic()
            due = [act for at, act in self._later if at <= now]
            self._later = [(at, act) for at, act in self._later if at > now]
            for act in due:
                act()
            self.keep_workers()
            self._keep_callers()
            self._keep_webs()
            if now >= until:
                return
            time.sleep(0.05)

    def heal(self) -> None:
        """Wait until lasting faults are over and all web servers respond."""
        while self._later:
            self.wait(0.1)
        self.await_webs()

    # --- Beginning and end --------------------------------------------------------------------

    def _start(self, name: str, *words: str, **more: str) -> subprocess.Popen[bytes]:
        environment = {**self.environment(), **more}
        return start_python(name, *words, folder=self.folder, environment=environment)

    def logs(self) -> str:
        """Return the ends of all logs."""
        return last_words(self.folder)

    def stop_processes(self) -> list[str]:
        """Stop web servers, load and, gracefully, workers; return processes that still run."""
        for web in self.webs:
            stop_child(web, signal.SIGKILL)
        self.webs.clear()
        for load in self._loads.values():
            self._to_be_gone += descendants(load.pid)
            stop_child(load, signal.SIGKILL)
        self._loads.clear()
        serving = [*self.workers, *([self.callers] if self.callers else [])]
        for process in serving:
            self.watch_end(process)
            process.terminate()
        for process in serving:
            stop_child(process, signal.SIGTERM)
        self.workers.clear()
        self.callers = None
        return self.left_behind()

    def stop(self) -> None:
        """Stop all processes, and remove the folder."""
        self.stop_processes()
        for name, number in (("proxy", signal.SIGKILL), ("valkey", signal.SIGTERM)):
            if hasattr(self, name):
                stop_child(getattr(self, name), number)
        if hasattr(self, "postgres"):
            stop_child(self.postgres, signal.SIGINT)
        self._holder.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def _answers(port: int) -> bool:
    try:
        return Api(port).is_there()
    except ApiError:  # it has no database
        return False


def rng(*words: object) -> random.Random:
    """Return a random number generator seeded by these words."""
    return random.Random(" ".join(map(str, words)))
