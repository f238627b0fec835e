"""The two channel layers of channels_redis, as carriers of wake-up signals."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks import stream_events
from benchmarks.machinery import median_figure
from benchmarks.report import Figure
from benchmarks.stream_events import Case, p95
from benchmarks.stream_servers import CORE_SETTINGS, OURS, OURS_ON_CORE, SITE_SETTINGS, writing
from runner.events.wakeups import Signal, WakeupListener, wake_followers

WORDS, QUICK_WORDS = 1_000, 300
ROUNDS, QUICK_ROUNDS = 5, 2
# About the server's work per signal.
BUSY_SECONDS = 0.001
SILENCE_SECONDS = 3.0
CASE = Case(topics=1_000, sockets=1, events=2_500, seconds=5.0)
QUICK_CASE = Case(topics=250, sockets=1, events=1_000, seconds=2.0)
LAYERS = {"core": (CORE_SETTINGS, OURS_ON_CORE), "pubsub": (SITE_SETTINGS, OURS)}

Heard = list[tuple[float, int]]


def layers(quick: bool) -> list[Figure]:
    """Measure bursts of signals to one listener, and many topics with one client each."""
    figures = []
    for name, (settings, design) in LAYERS.items():
        figures += _burst_figures(f"layer_{name}", settings, quick)
        with writing(settings) as writer:
            measured = asyncio.run(
                stream_events.ours(design, writer, QUICK_CASE if quick else CASE)
            )
        figures += [
            Figure("lost_or_doubled", measured.faults, "events", "== 0"),
            Figure(f"layer_{name}_cpu_us", measured.cpu_us, "us/event"),
            Figure(f"layer_{name}_p95_ms", measured.p95_ms, "ms"),
        ]
    return figures


def _burst_figures(name: str, settings: str, quick: bool) -> list[Figure]:
    ids = range(1, 1 + (QUICK_WORDS if quick else WORDS))
    lost, waits, cpu = [], [], []
    for number in range(QUICK_ROUNDS if quick else ROUNDS):
        ready = Path(os.environ["SOCIALCODE_VAR"]) / f"{name}-{number}-listens"
        with writing(settings) as listening, writing(settings) as telling:
            hearing = listening.submit(hear, ids, ready)
            while not ready.exists() and not hearing.done():
                time.sleep(0.01)
            told = telling.submit(tell, ids).result()
            heard, used = hearing.result()
        lost.append((len(ids) - len({topic_id for _, topic_id in heard})) / len(ids) * 100)
        waits += [(at - told) * 1_000 for at, _ in heard]
        cpu.append(used / max(1, len(heard)) * 1e6)
    return [
        median_figure(f"{name}_burst_lost", lost, "%"),
        median_figure(f"{name}_burst_cpu_us", cpu, "us/word"),
        Figure(f"{name}_burst_p95_ms", p95(waits), "ms", "", len(waits)),
    ]


def tell(ids: Sequence[int]) -> float:
    """Send wake-up signals for all these topics at once; return the time."""
    wake_followers([0])  # starts the sender's thread; nobody listens to this topic
    time.sleep(0.5)
    now = time.monotonic()
    for topic_id in ids:
        wake_followers([topic_id])
    time.sleep(SILENCE_SECONDS)  # the sender's thread ends with this process
    return now


def hear(ids: Sequence[int], ready: Path) -> tuple[Heard, float]:
    """Listen for signals of these topics until none come; return them and the CPU time used."""
    return asyncio.run(_hear(ids, ready))


async def _hear(ids: Sequence[int], ready: Path) -> tuple[Heard, float]:
    words: asyncio.Queue[Signal] = asyncio.Queue()
    await WakeupListener(words.put_nowait).start()
    ready.touch()  # noqa: ASYNC240 - nothing else runs yet
    used = time.process_time()
    heard: Heard = []
    while True:
        try:
            async with asyncio.timeout(SILENCE_SECONDS):
                word = await words.get()
        except TimeoutError:
            return [(at, each) for at, each in heard if each in ids], time.process_time() - used
        heard += [(time.monotonic(), topic_id) for topic_id in word.topic_ids]
        time.sleep(BUSY_SECONDS)  # noqa: ASYNC251 - simulates work
