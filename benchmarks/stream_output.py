"""Time from a program's `print` in a real worker to a client."""

from __future__ import annotations

import asyncio
import itertools
import statistics
import time

from benchmarks import stream_writers
from benchmarks.machinery import submit, workers
from benchmarks.report import Figure, spread
from benchmarks.stream_events import p95
from benchmarks.stream_servers import OURS, serving, writing
from runner.programs.program import PreparedProgram, make_program
from runner.sandbox import Limits, Module
from tests.support.sockets.client import StreamClient

PROGRAMS, QUICK_PROGRAMS = 20, 4
LINES = 40
TIMEOUT_SECONDS = 120.0
SOURCE = """\
import time
for number in range({lines}):
    print(time.time())
    time.sleep(0.03)
assert {number}
"""

_numbers = itertools.count(1)


def output(quick: bool) -> list[Figure]:
    """Measure each line."""
    with writing() as writer:
        (topic,) = writer.submit(stream_writers.make_topics, 1).result()
    count = QUICK_PROGRAMS if quick else PROGRAMS
    with workers(1):
        waits = asyncio.run(_waits(topic, count))
    if len(waits) != count * LINES:
        raise ValueError(f"{len(waits)} lines instead of {count * LINES}")
    return [
        # The limit in the rules.
        Figure("output_to_client_p95_ms", p95(waits), "ms", "<= 250", len(waits), spread(waits)),
        Figure("output_to_client_p50_ms", statistics.median(waits), "ms", "", len(waits)),
        Figure("output_to_client_max_ms", max(waits), "ms", "", len(waits)),
    ]


async def _waits(topic: str, count: int) -> list[float]:
    waits: list[float] = []
    with serving(OURS) as server:
        async with (
            StreamClient(server.url, origin=server.origin) as client,
            asyncio.timeout(TIMEOUT_SECONDS),
        ):
            await client.follow(topic)
            await client.wait_caught_up(topic)
            await asyncio.to_thread(submit, [_program() for _ in range(count)], topic=topic)
            while (event := await client.next_event()).type != "batch.finished":
                if event.type == "task.output":
                    now = time.time()
                    lines = event.payload["lines"]
                    waits += [(now - float(text)) * 1_000 for _, _, text in lines]
    return waits


def _program() -> PreparedProgram:
    source = SOURCE.format(lines=LINES, number=next(_numbers))
    return make_program(
        modules=[Module("Add", "def Add(): pass\n"), Module("test", source, ("Add",))],
        entry="test",
        subject="Add",
        limits=Limits(),
    )
