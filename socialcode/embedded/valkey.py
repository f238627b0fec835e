"""Starts a private Valkey that listens on a Unix socket only."""

import signal
import subprocess
import time

import redis

from socialcode.embedded import binaries, children
from socialcode.embedded.failures import EngineFailed, disk_full_message, disk_is_full
from socialcode.embedded.places import Places

STOP_SIGNAL = signal.SIGTERM
START_TIMEOUT_SECONDS = 15
# More than one for each test process.
DATABASES = 64


def start_valkey(places: Places, *, durable: bool) -> subprocess.Popen[bytes]:
    """Start the server and wait until it answers."""
    places.valkey_folder.mkdir(mode=0o700, exist_ok=True)
    durability = ("--appendonly", "yes") if durable else ("--save", "", "--appendonly", "no")
    child = children.start_child(
        [
            *(binaries.valkey_server(), "--port", "0", "--unixsocket", places.valkey_socket),
            *("--unixsocketperm", "700", "--dir", places.valkey_folder),
            *("--databases", str(DATABASES), *durability),
        ],
        death_signal=STOP_SIGNAL,
        log=places.valkey_log,
        folder=places.root,
    )
    try:
        _await_answer(child, places)
    except BaseException:
        children.stop_child(child, signal.SIGKILL)
        raise
    return child


def _await_answer(child: subprocess.Popen[bytes], places: Places) -> None:
    deadline = time.monotonic() + START_TIMEOUT_SECONDS
    with redis.Redis.from_url(places.redis_url) as client:
        while True:
            if child.poll() is not None or time.monotonic() > deadline:
                raise _failure(places)
            try:
                client.ping()
                return
            except redis.exceptions.ConnectionError:
                # The server is still loading its data or not listening yet.
                time.sleep(0.02)


def _failure(places: Places) -> EngineFailed:
    output = places.valkey_log.read_text(encoding="utf-8", errors="replace")[-2000:]
    if disk_is_full(places.root, output):
        return EngineFailed(disk_full_message(places.root))
    return EngineFailed(
        f"Valkey did not start. Its last output:\n{output.strip()}\nFull log: {places.valkey_log}"
    )
