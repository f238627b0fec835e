"""Gauges of each process, such as its open sockets, collected in Redis and summed over processes.

A thread in each process publishes its levels every PUBLISH_SECONDS; those of a process that has
ended expire.
"""

import json
import logging
import os
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import cast

import redis

from runner.telemetry.counters import counters

log = logging.getLogger(__name__)

PUBLISH_SECONDS = 2.0
TTL_SECONDS = 10
# The names of processes, and the prefix of the keys with their levels.
PROCESSES = "socialcode:gauges"

# By gauge and its label's value, which is empty for gauges without a label.
Levels = Mapping[tuple[str, str], float]


@dataclass(frozen=True)
class Gauge:
    """A gauge, and the function that reads this process's levels by the label's value."""

    name: str
    help: str
    labels: tuple[str, ...]  # one or none
    read: Callable[[], Mapping[str, float]]


_declared: dict[str, Gauge] = {}
_kind = ""


def declare_gauge(gauge: Gauge) -> None:
    """Add a gauge to those that this process publishes."""
    _declared[gauge.name] = gauge


def declared_gauges() -> Iterable[Gauge]:
    """Return all gauges that loaded modules have declared."""
    return list(_declared.values())


declare_gauge(
    Gauge("processes", "Processes that run", ("kind",), lambda: {_kind: 1} if _kind else {})
)


def start_publishing(kind: str) -> None:
    """Publish this process's levels until it ends; `kind` says what it does."""
    global _kind  # noqa: PLW0603 - one per process
    _kind = kind
    threading.Thread(target=_publish_always, name="gauges", daemon=True).start()


def publish() -> None:
    """Publish this process's levels. Raises `redis.RedisError`."""
    name = f"{socket.gethostname()}:{os.getpid()}"
    levels = [
        (gauge.name, value, level)
        for gauge in declared_gauges()
        for value, level in gauge.read().items()
    ]
    with counters.client.pipeline(transaction=False) as pipeline:
        pipeline.sadd(PROCESSES, name)
        pipeline.set(_key(name), json.dumps(levels), ex=TTL_SECONDS)
        pipeline.execute()


def read() -> Levels:
    """Return the sums over all processes. Raises `redis.RedisError`."""
    client = counters.client
    names = [name.decode() for name in cast("set[bytes]", client.smembers(PROCESSES))]
    texts = cast("list[bytes | None]", client.mget(map(_key, names))) if names else []
    ended = [name for name, text in zip(names, texts, strict=True) if text is None]
    if ended:
        client.srem(PROCESSES, *ended)
    sums: Counter[tuple[str, str]] = Counter()
    for text in texts:
        for name, value, level in json.loads(text or "[]"):
            sums[name, value] += level
    return cast("Levels", sums)


def _key(process: str) -> str:
    return f"{PROCESSES}:{process}"


def _publish_always() -> None:
    while True:
        try:
            publish()
        except redis.RedisError as error:
            log.debug("gauges could not be published: %s", error)
        time.sleep(PUBLISH_SECONDS)
