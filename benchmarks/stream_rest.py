"""Cost of idle sockets, and of sockets whose clients don't read."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor

from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin

from benchmarks import stream_bare, stream_watch, stream_writers
from benchmarks.machinery import median_figure
from benchmarks.report import Figure
from benchmarks.site import HOST
from benchmarks.stream_crowd import BareCrowd, Crowd
from benchmarks.stream_events import in_thread
from benchmarks.stream_servers import (
    BARE_ON_CORE,
    OURS,
    WATCHED,
    Design,
    Server,
    serving,
    writing,
)

SOCKETS, QUICK_SOCKETS = 1_000, 250
ROUNDS, QUICK_ROUNDS = 3, 1
# Permissions are checked every minute, for the first time after half a minute at the earliest.
SETTLE_SECONDS, QUICK_SETTLE_SECONDS = 30.0, 2.0
IDLE_SECONDS, QUICK_IDLE_SECONDS = 60.0, 10.0
WARM_UP_SOCKETS = 20
LAGGARDS = 50
# More than the kernel buffers for a socket.
FLOOD_EVENTS, EVENT_CHARACTERS = 800, 8_000
FLOOD_SECONDS = 4.0
RECEIVE_BYTES = 4_096
REST_SECONDS = 1.0


def idle(quick: bool) -> list[Figure]:
    """Measure sockets with a topic each and no events: anonymous and signed-in ones."""
    sockets = QUICK_SOCKETS if quick else SOCKETS
    with writing() as writer:
        topics = writer.submit(stream_writers.make_topics, sockets).result()
        cookies = writer.submit(stream_writers.sign_in, sockets).result()
    figures = [("idle_cpu_percent", None, "<= 5"), ("idle_signed_in_cpu_percent", cookies, "")]
    return [
        Figure(name, asyncio.run(_idle_percent(topics, given, quick)), "%", goal)
        for name, given, goal in figures
    ]


async def _idle_percent(topics: list[str], cookies: list[str] | None, quick: bool) -> float:
    with serving(OURS) as server:
        async with Crowd(server, topics, cookies):
            await asyncio.sleep(QUICK_SETTLE_SECONDS if quick else SETTLE_SECONDS)
            used, began = server.cpu_seconds(), time.monotonic()
            await asyncio.sleep(QUICK_IDLE_SECONDS if quick else IDLE_SECONDS)
            return (server.cpu_seconds() - used) / (time.monotonic() - began) * 100


def memory(quick: bool) -> list[Figure]:
    """Measure the server's private memory per socket, idle and lagging, in both designs."""
    sockets = QUICK_SOCKETS if quick else SOCKETS
    ours, bare, lagging, bare_lagging = [], [], [], []
    for _ in range(QUICK_ROUNDS if quick else ROUNDS):
        with writing() as writer:
            topics = writer.submit(stream_writers.make_topics, sockets).result()
            ours.append(asyncio.run(_idle_bytes(OURS, topics)))
            lagging.append(asyncio.run(_lagging_bytes(writer, OURS)))
            asyncio.run(_lagging_bytes(writer, WATCHED))
        bare.append(asyncio.run(_idle_bytes(BARE_ON_CORE, topics)))
        with writing(BARE_ON_CORE.settings) as writer:
            bare_lagging.append(asyncio.run(_bare_lagging_bytes(writer)))
    unwritten = int(stream_watch.result_file().read_text("ascii"))
    over = [one / other for one, other in zip(ours, bare, strict=True)]
    return [
        median_figure("memory_over_bare_consumer", over, goal="<= 1.5"),
        Figure("most_unwritten_frames", unwritten, "frames", "<= 1"),
        *(
            median_figure(f"{name}_kib", [one / 1_024 for one in sizes], "KiB")
            for name, sizes in (
                ("idle_socket", ours),
                ("bare_idle_socket", bare),
                ("lagging_socket_adds", lagging),
                ("bare_lagging_socket_adds", bare_lagging),
            )
        ),
    ]


def _crowd(design: Design, server: Server, topics: Sequence[str]) -> Crowd | BareCrowd:
    if design is OURS:
        return Crowd(server, topics)
    return BareCrowd(server, range(len(topics)))


async def _idle_bytes(design: Design, topics: Sequence[str]) -> float:
    with serving(design) as server:
        async with _crowd(design, server, topics[:WARM_UP_SOCKETS]):
            await asyncio.sleep(REST_SECONDS)
        await asyncio.sleep(REST_SECONDS)
        before = server.private_bytes()
        async with _crowd(design, server, topics):
            await asyncio.sleep(REST_SECONDS)
            return (server.private_bytes() - before) / len(topics)


async def _lagging_bytes(writer: ProcessPoolExecutor, design: Design) -> float:
    """Flood a topic that one client reads and many don't; return bytes per lagging client."""
    (topic,) = await in_thread(writer, stream_writers.make_topics, 1)
    flood = (stream_writers.flood, topic, FLOOD_EVENTS, EVENT_CHARACTERS)
    with serving(design) as server:
        async with Crowd(server, [topic]) as crowd:
            # Fills shared caches before the measurement.
            head = await in_thread(writer, *flood)
            await crowd.have_taken({topic: head})
            laggards = [await _open_lazily(server, "") for _ in range(LAGGARDS)]
            for laggard in laggards:
                subscribe = {"type": "subscribe", "topic": topic, "epoch": 1, "after": head}
                await laggard.send(json.dumps(subscribe))
                while json.loads(await laggard.recv())["type"] != "caught_up":
                    pass
                laggard.transport.pause_reading()
            before = server.private_bytes()
            head = await in_thread(writer, *flood)
            await crowd.have_taken({topic: head})
            return await _added_bytes(server, before, laggards)


async def _bare_lagging_bytes(writer: ProcessPoolExecutor) -> float:
    flood = (stream_bare.send_events, [0], FLOOD_EVENTS, FLOOD_SECONDS, EVENT_CHARACTERS)
    with serving(BARE_ON_CORE) as server:
        async with BareCrowd(server, [0]) as crowd:
            await in_thread(writer, *flood)
            await crowd.are_quiet(FLOOD_EVENTS)
            laggards = [await _open_lazily(server, "0/") for _ in range(LAGGARDS)]
            for laggard in laggards:
                laggard.transport.pause_reading()
            before = server.private_bytes()
            await in_thread(writer, *flood)
            await crowd.are_quiet(2 * FLOOD_EVENTS)
            return await _added_bytes(server, before, laggards)


async def _added_bytes(server: Server, before: int, laggards: Sequence[ClientConnection]) -> float:
    await asyncio.sleep(REST_SECONDS)
    added = (server.private_bytes() - before) / len(laggards)
    for laggard in laggards:
        laggard.transport.abort()
    return added


async def _open_lazily(server: Server, place: str) -> ClientConnection:
    """Connect with a minimal receive buffer."""
    plug = socket.socket()
    plug.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BYTES)
    plug.setblocking(False)
    await asyncio.get_running_loop().sock_connect(plug, (HOST, server.port))
    return await connect(
        f"{server.url}{place}",
        sock=plug,
        origin=Origin(server.origin),
        proxy=None,
        ping_interval=None,
    )
