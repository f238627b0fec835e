"""The measured web servers, each pinned to the first core.

All other processes, including the engines, are pinned to the last one.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import django

from benchmarks.site import HOST, ROOT
from socialcode.embedded.children import start_child, stop_child
from socialcode.web import listen

SITE_SETTINGS = "socialcode.settings"
CORE_SETTINGS = "benchmarks.core_layer"
# The measured server's name in the database's log.
NAME = "measured-web"
START_TIMEOUT_SECONDS = 60.0
TICKS = os.sysconf("SC_CLK_TCK")
STOP_SIGNAL = signal.SIGTERM

_CORES = sorted(os.sched_getaffinity(0))
_SITE = ("-m", "socialcode.web", "--fd", "{handle}")
_BARE = (
    "-c",
    "import django; django.setup(); from benchmarks import stream_bare as it; it.serve({handle})",
)
_WATCHED = ("-c", "from benchmarks import stream_watch as it; it.serve({handle})")


@dataclass(frozen=True, slots=True)
class Design:
    """A server's command and settings."""

    command: tuple[str, ...]
    settings: str


OURS = Design(_SITE, SITE_SETTINGS)
OURS_ON_CORE = Design(_SITE, CORE_SETTINGS)
WATCHED = Design(_WATCHED, SITE_SETTINGS)
BARE_ON_CORE = Design(_BARE, CORE_SETTINGS)
BARE_ON_PUBSUB = Design(_BARE, SITE_SETTINGS)


@dataclass(frozen=True, slots=True)
class Server:
    """A running server, and its costs."""

    pid: int
    port: int

    @property
    def url(self) -> str:
        return f"ws://{HOST}:{self.port}/ws/"

    @property
    def origin(self) -> str:
        return f"http://{HOST}:{self.port}"

    def cpu_seconds(self) -> float:
        """Return the CPU time of all its threads, in user and kernel mode."""
        fields = Path(f"/proc/{self.pid}/stat").read_text("ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def private_bytes(self) -> int:
        """Return its private memory."""
        lines = Path(f"/proc/{self.pid}/smaps_rollup").read_text("ascii").splitlines()
        return 1024 * sum(int(line.split()[1]) for line in lines if line.startswith("Private_"))


def pin_load() -> None:
    """Pin this process and its children to the last core."""
    os.sched_setaffinity(0, _CORES[-1:])
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


@contextmanager
def serving(design: Design) -> Iterator[Server]:
    """Run a server of this design."""
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": design.settings,
        "PGAPPNAME": NAME,
        # All clients have one address.
        "SOCIALCODE_SOCKETS_PER_USER": "10000",
        "SOCIALCODE_SOCKETS_PER_ADDRESS": "10000",
        "SOCIALCODE_CONNECTIONS_PER_ADDRESS": "20000",
    }
    with listen(HOST, 0) as listener:
        port, handle = listener.getsockname()[1], listener.fileno()
        child = start_child(
            [sys.executable, *(word.format(handle=handle) for word in design.command)],
            log=Path(os.environ["SOCIALCODE_VAR"]) / f"web-{time.monotonic_ns()}.log",
            folder=ROOT,
            environment=environment,
            pass_fds=(handle,),
        )
        os.sched_setaffinity(child.pid, _CORES[:1])
    try:
        yield Server(child.pid, port)
    finally:
        stop_child(child, STOP_SIGNAL)


@contextmanager
def writing(settings: str = SITE_SETTINGS) -> Iterator[ProcessPoolExecutor]:
    """Run a process that writes events, with these settings."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, context, initializer=_set_up, initargs=(settings,)) as writer:
        writer.submit(os.getpid).result()
        yield writer


def _set_up(settings: str) -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = settings
    django.setup()
