"""The site on hosts: two databases, a Valkey, web servers behind a proxy, workers, calls."""

import http.client
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

import redis

from benchmarks.site import HOST, ROOT, last_words, start_python
from chaos.hosts.balancer import PROBE
from chaos.hosts.database import DatabaseHosts
from chaos.hosts.namespaces import Host, make_bridge
from chaos.processes import Process, is_there
from chaos.settings import SETTINGS
from chaos.site import END_SECONDS, LOAD, LOADS, LOCK, NO_EXCUSE
from socialcode.embedded import binaries
from socialcode.embedded.children import stop_child

WEB_HOSTS, WORKER_HOSTS = 2, 3
PORT = 8000
START_SECONDS = 120.0
REDIS_PORT, CALLS_PORT, ANALYSIS_PORT = 6379, 7000, 7001
BACKENDS = "backends"
# The last number of each kind's first address.
NUMBERS = {"database": 10, "valkey": 20, "web": 30, "worker": 40, "calls": 50, "proxy": 60}


class HostedSite:
    """All hosts, and their folders."""

    def __init__(self, seed: int) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="socialcode-hosts-"))
        self.seed = seed
        self.workers: list[Host] = []
        self.webs: list[Host] = []
        self.restarted: list[str] = []  # processes that had ended by themselves
        self._hosts: list[Host] = []
        self._made: dict[str, int] = dict.fromkeys(NUMBERS, 0)
        self._loads: dict[str, subprocess.Popen[bytes]] = {}
        self._later: list[tuple[float, Callable[[], object]]] = []
        self._ended: list[Process] = []
        self._password = secrets.token_urlsafe()

    def __enter__(self) -> Self:
        try:
            self._start()
        except BaseException:
            print(self.logs(), file=sys.stderr)
            self.stop()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is not None:
            print(self.logs(), file=sys.stderr)
        self.stop()

    def environment(self, folder: Path | None = None) -> dict[str, str]:
        """Return the environment of the processes of a host with this folder."""
        return {
            **os.environ,
            **SETTINGS,
            "DATABASE_URL": self.database.url,
            "REDIS_URL": f"redis://:{self._password}@{self._valkey.address}:{REDIS_PORT}/0",
            "SOCIALCODE_CALLERS_SOCKET": f"tcp://{self._calls.address}:{CALLS_PORT}",
            "SOCIALCODE_ANALYSIS_SOCKET": f"tcp://{self._calls.address}:{ANALYSIS_PORT}",
            "SOCIALCODE_VAR": str(folder or self.folder),
            "SOCIALCODE_WORKERS": str(WORKER_HOSTS),
            "ALLOWED_HOSTS": f"127.0.0.1,{self.proxy.address}",
        }

    def manage(self, *words: str, may_fail: bool = False) -> subprocess.CompletedProcess[str]:
        """Run a management command. Raises if it fails, unless it may."""
        ended = subprocess.run(
            [sys.executable, "manage.py", *words],
            cwd=ROOT,
            env=self.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        if ended.returncode and not may_fail:
            raise RuntimeError(f"manage.py {words[0]} failed:\n{ended.stdout}{ended.stderr}")
        return ended

    # --- Hosts --------------------------------------------------------------------------------

    def add_worker_host(self) -> None:
        """Add a host with a worker."""
        host = self._add_host("worker")
        self._run(host, "worker", "manage.py", "worker")
        self.workers.append(host)

    def add_web_host(self) -> Host:
        """Add a host with a web server, which the proxy uses once it responds."""
        host = self._add_host("web")
        address = ("--host", host.address, "--port", str(PORT))
        self._run(host, "web", "-m", "chaos.serving", *address)
        self.webs.append(host)
        self.list_webs()
        return host

    def list_webs(self) -> None:
        """Tell the proxy the present web servers."""
        file = self.proxy.folder / BACKENDS
        draft = file.with_suffix(".new")
        draft.write_text("".join(f"{web.address} {PORT}\n" for web in self.webs), "ascii")
        draft.replace(file)

    def replace_standby(self) -> None:
        """Switch on a host in place of a dead primary's, and make it the standby."""
        if (dead := self.database.fallen) is not None:
            self._hosts.remove(dead)
            self.database.add_standby(self._make_host(dead.name, dead.number))

    def withdraw(self, host: Host) -> None:
        """Kill a host for good."""
        host.kill()
        self._hosts.remove(host)

    def end_gently(self, host: Host, name: str) -> None:
        """Terminate a process, and record its children, which must end soon."""
        self._ended += host.end(name)

    # --- Load and time ------------------------------------------------------------------------

    def keep_load(self, names: Sequence[str]) -> None:
        """Start these load processes, which are on the clients' host."""
        for name in names:
            words = ("-c", LOAD, name, str(self.seed), str(self.folder / LOCK))
            environment = self.environment()
            self._loads[name] = start_python(
                f"load-{name}", *words, folder=self.folder, environment=environment
            )

    def later(self, seconds: float, act: Callable[[], object]) -> None:
        """Schedule a call for `wait` to make."""
        self._later.append((time.monotonic() + seconds, act))

    def wait(self, seconds: float) -> None:
        """Wait, make due calls, and restart processes that have ended."""
        until = time.monotonic() + seconds
        while True:
            now = time.monotonic()
            due = [act for at, act in self._later if at <= now]
            self._later = [(at, act) for at, act in self._later if at > now]
            for act in due:
                act()
            for host in self._hosts:
                self.restarted += [f"{name} of {host.name}" for name in host.restart_ended()]
            if now >= until:
                return
            time.sleep(0.05)

    def await_answer(self, address: str) -> None:
        """Wait until the web server or the proxy at this address is ready."""
        self._await(partial(_is_ready, address), address)

    def heal(self) -> None:
        """Wait until lasting faults are over."""
        while self._later:
            self.wait(0.1)

    def complaints(self) -> list[str]:
        """Return errors in the logs."""
        logs = [self.folder / f"load-{name}.log" for name in LOADS]
        loads = [line for log in logs if log.exists() for line in log.read_text().splitlines()]
        webs = [log.read_text() for log in self.folder.glob("web-*/web.log")]
        lines = [line for web in webs for line in web.splitlines() if NO_EXCUSE in line]
        return [*(line for line in loads if line.startswith("WRONG")), *lines]

    def left_behind(self) -> list[str]:
        """Return processes that still run although their parents have ended."""
        deadline = time.monotonic() + END_SECONDS
        while any(map(is_there, self._ended)) and time.monotonic() < deadline:
            time.sleep(0.05)
        left, self._ended = list(filter(is_there, self._ended)), []
        return [f"process {process.pid} was left behind" for process in left]

    def logs(self) -> str:
        """Return the ends of all logs."""
        return last_words(self.folder)

    def stop_load(self) -> None:
        """Kill the load processes."""
        for load in self._loads.values():
            stop_child(load, signal.SIGKILL)
        self._loads.clear()

    def stop(self) -> None:
        """Kill all processes, and remove the folder."""
        self.stop_load()
        for host in self._hosts:
            host.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    # --- The beginning ------------------------------------------------------------------------

    def _start(self) -> None:
        make_bridge()
        self.database = DatabaseHosts(self._add_host("database"), self._add_host("database"))
        self.database.start()
        self._valkey, self.proxy = self._add_host("valkey"), self._add_host("proxy")
        self._start_valkey()
        self._start_calls()
        self.manage("migrate", "--verbosity", "0")
        for _ in range(WORKER_HOSTS):
            self.add_worker_host()
        for _ in range(WEB_HOSTS):
            self.add_web_host()
        words = ("-m", "chaos.hosts.balancer", self.proxy.address, str(PORT))
        self._run(self.proxy, "balancer", *words, str(self.proxy.folder / BACKENDS))
        self.await_answer(self.proxy.address)
        self._await(partial(_listens, self._calls.address, ANALYSIS_PORT), "the host for calls")
        self.redis = redis.Redis.from_url(self.environment()["REDIS_URL"], socket_timeout=2)

    def _start_valkey(self) -> None:
        host = self._valkey
        options = ("--bind", host.address, "--port", str(REDIS_PORT), "--dir", host.folder)
        kept = ("--requirepass", self._password, "--save", "", "--appendonly", "no")
        host.start("valkey", [binaries.valkey_server(), *options, *kept], os.environ)

    def _start_calls(self) -> None:
        self._calls = self._add_host("calls")
        self._run(self._calls, "callers", "manage.py", "callers")

    def _await(self, holds: Callable[[], bool], subject: str) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not holds():
            if time.monotonic() > deadline:
                raise TimeoutError(f"{subject} is not ready")
            self.wait(0.1)

    def _add_host(self, kind: str) -> Host:
        self._made[kind] += 1
        number = self._made[kind]
        return self._make_host(f"{kind}-{number}", NUMBERS[kind] + number)

    def _make_host(self, name: str, number: int) -> Host:
        host = Host(name, number, self.folder)
        self._hosts.append(host)
        return host

    def _run(self, host: Host, name: str, *words: str) -> None:
        environment = {**self.environment(host.folder), "SOCIALCODE_DATABASE_POOL": "1"}
        host.start(name, [sys.executable, *words], environment)


def _is_ready(address: str) -> bool:
    connection = http.client.HTTPConnection(address, PORT, timeout=5)
    try:
        connection.request("GET", PROBE, headers={"Host": HOST})
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _listens(address: str, port: int) -> bool:
    try:
        socket.create_connection((address, port), timeout=2).close()
    except OSError:
        return False
    return True
