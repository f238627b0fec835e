"""Storm: all clients lose their connections at once during a batch, and reconnect."""

from __future__ import annotations

import asyncio
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

from benchmarks import stream_writers
from benchmarks.machinery import median_figure
from benchmarks.report import Figure
from benchmarks.stream_events import TASKS_PER_SECOND, in_thread
from benchmarks.stream_servers import OURS, serving, writing
from benchmarks.stream_statements import counting
from benchmarks.stream_thin import ThinCrowd

SOCKETS, QUICK_SOCKETS = 1_000, 250
ROUNDS, QUICK_ROUNDS = 3, 1
BATCH_SECONDS = 15.0  # longer than a storm may take
BEFORE_SECONDS = 2.0


class Storm(NamedTuple):
    """The measurements of one storm."""

    seconds: float
    cpu_seconds: float
    statements: float  # per client, without authentication
    pings: float
    authentication: float
    faults: int


def storm(quick: bool) -> list[Figure]:
    """Measure several storms, with signed-in clients."""
    sockets = QUICK_SOCKETS if quick else SOCKETS
    with writing() as writer:
        cookies = writer.submit(stream_writers.sign_in, sockets).result()
        storms = [
            asyncio.run(_storm(writer, cookies)) for _ in range(QUICK_ROUNDS if quick else ROUNDS)
        ]
    return [
        median_figure("storm_seconds", [one.seconds for one in storms], "s", "<= 10"),
        median_figure(
            "storm_queries_per_client", [one.statements for one in storms], "queries", "<= 2"
        ),
        Figure("lost_or_doubled", sum(one.faults for one in storms), "events", "== 0", len(storms)),
        median_figure("storm_authentication", [one.authentication for one in storms], "queries"),
        median_figure("storm_empty_statements", [one.pings for one in storms], "queries"),
        median_figure("storm_cpu_seconds", [one.cpu_seconds for one in storms], "s"),
    ]


async def _storm(writer: ProcessPoolExecutor, cookies: list[str]) -> Storm:
    topics = await in_thread(writer, stream_writers.make_topics, 1)
    tasks = round(BATCH_SECONDS * TASKS_PER_SECOND)
    with serving(OURS) as server:
        async with ThinCrowd(server, topics * len(cookies), cookies) as crowd:
            batch = asyncio.create_task(
                in_thread(writer, stream_writers.run_batch, topics, tasks, BATCH_SECONDS)
            )
            await asyncio.sleep(BEFORE_SECONDS)
            used = server.cpu_seconds()
            with counting() as statements:
                taken = await crowd.drop_all()
            used = server.cpu_seconds() - used
            await batch
            heads = await in_thread(writer, stream_writers.positions, topics)
            await crowd.have_taken(heads)
            return Storm(
                seconds=taken,
                cpu_seconds=used,
                statements=statements.others / len(cookies),
                pings=statements.pings / len(cookies),
                authentication=statements.authentication / len(cookies),
                faults=crowd.faults(heads),
            )
