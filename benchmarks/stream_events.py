"""Delivery of events: one topic with a thousand sockets, and a thousand topics with one each."""

from __future__ import annotations

import asyncio
import itertools
import statistics
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

from benchmarks import stream_bare, stream_writers
from benchmarks.machinery import median_figure
from benchmarks.report import Figure
from benchmarks.stream_crowd import BareCrowd
from benchmarks.stream_servers import (
    BARE_ON_CORE,
    BARE_ON_PUBSUB,
    OURS,
    Design,
    serving,
    writing,
)
from benchmarks.stream_thin import ThinCrowd

SOCKETS, QUICK_SOCKETS = 1_000, 250
TASKS_PER_SECOND = 100
SCATTERED_PER_SECOND = 500
SECONDS, QUICK_SECONDS = 5.0, 2.0
BARE_SECONDS = 2.0
ROUNDS, QUICK_ROUNDS = 3, 1


@dataclass(frozen=True, slots=True)
class Measured:
    """The measurements of one round."""

    cpu_us: float  # of the server, per delivered event
    p95_ms: float  # from commit, or sending, to the client
    delivered: int
    faults: int  # lost, duplicate and misordered events
    frames: int
    events_per_second: float


@dataclass(frozen=True, slots=True)
class Case:
    """Numbers of topics, sockets per topic, and events over some seconds."""

    topics: int
    sockets: int
    events: int
    seconds: float


async def in_thread(writer: ProcessPoolExecutor, act: Any, *given: Any) -> Any:
    """Call a function in the writer's process, while this one receives events."""
    return await asyncio.get_running_loop().run_in_executor(writer, act, *given)


def p95(values: Sequence[float]) -> float:
    """Return the 95th percentile."""
    return statistics.quantiles(values, n=20)[18] if len(values) > 1 else float("nan")


async def ours(design: Design, writer: ProcessPoolExecutor, case: Case) -> Measured:
    """Measure the site's own sockets."""
    topics = await in_thread(writer, stream_writers.make_topics, case.topics)
    followed = topics * case.sockets
    with serving(design) as server:
        async with ThinCrowd(server, followed) as crowd:
            used = server.cpu_seconds()
            act = stream_writers.run_batch if case.topics == 1 else stream_writers.scatter
            committed = await in_thread(writer, act, topics, case.events, case.seconds)
            heads = await in_thread(writer, stream_writers.positions, topics)
            await crowd.have_taken(heads)
            used = server.cpu_seconds() - used
            waits = [
                (at - committed[member.topic][seq]) * 1_000
                for member in crowd.members
                for at, first, last in member.frames
                for seq in range(first, last + 1)
                if seq in committed[member.topic]
            ]
            written = [at for times in committed.values() for at in times.values()]
            delivered = sum(member.taken for member in crowd.members)
            return Measured(
                cpu_us=used / delivered * 1e6,
                p95_ms=p95(waits),
                delivered=delivered,
                faults=crowd.faults(heads),
                frames=sum(len(member.frames) for member in crowd.members),
                events_per_second=len(written) / (max(written) - min(written)),
            )


async def bare(design: Design, writer: ProcessPoolExecutor, case: Case) -> Measured:
    """Measure the bare design with as many events at the same rate."""
    topics = list(range(case.topics))
    wanted = case.events * case.sockets
    with serving(design) as server:
        async with BareCrowd(server, topics * case.sockets) as crowd:
            used = server.cpu_seconds()
            sent = await in_thread(
                writer, stream_bare.send_events, topics, case.events, case.seconds, 0
            )
            await crowd.are_quiet(wanted)
            used = server.cpu_seconds() - used
            came = [[number for _, number in arrivals] for arrivals in crowd.arrivals]
            delivered = sum(map(len, came))
            distinct = sum(len(set(numbers)) for numbers in came)
            backwards = sum(
                later < earlier
                for numbers in came
                for earlier, later in itertools.pairwise(numbers)
            )
            waits = [(at - sent[number]) * 1_000 for one in crowd.arrivals for at, number in one]
            return Measured(
                cpu_us=used / delivered * 1e6,
                p95_ms=p95(waits),
                delivered=delivered,
                faults=wanted - distinct + delivered - distinct + backwards,
                frames=delivered,
                events_per_second=len(sent) / (sent[-1] - sent[0]),
            )


Rounds = dict[str, list[Measured]]


def _rounds(case: Case, yardstick: Case, rounds: int) -> Rounds:
    """Measure all designs in turn."""
    found: Rounds = {"ours": [], "bare": [], "bare_pubsub": []}
    for _ in range(rounds):
        with writing() as writer:
            found["ours"].append(asyncio.run(ours(OURS, writer, case)))
        for name, design in (("bare", BARE_ON_CORE), ("bare_pubsub", BARE_ON_PUBSUB)):
            with writing(design.settings) as writer:
                found[name].append(asyncio.run(bare(design, writer, yardstick)))
    return found


def one_topic(quick: bool) -> list[Figure]:
    """Measure a batch whose tasks end over some seconds, with many clients of its topic."""
    seconds = QUICK_SECONDS if quick else SECONDS
    sockets = QUICK_SOCKETS if quick else SOCKETS
    case = Case(1, sockets, round(TASKS_PER_SECOND * seconds), seconds)
    # The same rate for a shorter time, as it falls behind and takes a minute for each second.
    brief = Case(1, sockets, round(TASKS_PER_SECOND * BARE_SECONDS), BARE_SECONDS)
    found = _rounds(case, brief, QUICK_ROUNDS if quick else ROUNDS)
    return [
        median_figure(
            "commit_to_client_p95_ms", [one.p95_ms for one in found["ours"]], "ms", "<= 400"
        ),
        _ratio("cpu_over_bare_group", found, "bare", "<= 0.1"),
        _ratio("cpu_over_bare_group_on_pubsub", found, "bare_pubsub", ""),
        _faults("lost_or_doubled", found["ours"], "== 0"),
        *_described("one_topic", found),
    ]


def sparse(quick: bool) -> list[Figure]:
    """Measure many topics with few events and one client each."""
    seconds = QUICK_SECONDS if quick else SECONDS
    topics = QUICK_SOCKETS if quick else SOCKETS
    case = Case(topics, 1, round(SCATTERED_PER_SECOND * seconds), seconds)
    found = _rounds(case, case, QUICK_ROUNDS if quick else ROUNDS)
    return [
        _ratio("sparse_cpu_over_bare_group", found, "bare", "<= 1.5"),
        _ratio("sparse_cpu_over_bare_group_on_pubsub", found, "bare_pubsub", ""),
        _faults("lost_or_doubled", found["ours"], "== 0"),
        *_described("sparse", found),
    ]


def _ratio(name: str, found: Rounds, yardstick: str, goal: str) -> Figure:
    pairs = zip(found["ours"], found[yardstick], strict=True)
    return median_figure(name, [one.cpu_us / other.cpu_us for one, other in pairs], goal=goal)


def _faults(name: str, rounds: Sequence[Measured], goal: str = "") -> Figure:
    return Figure(name, sum(one.faults for one in rounds), "events", goal, len(rounds))


def _described(case: str, found: Rounds) -> list[Figure]:
    figures = []
    for design, rounds in found.items():
        name = f"{case}_{design}"
        missed = [one.faults / (one.delivered + one.faults) * 100 for one in rounds]
        figures += [
            median_figure(f"{name}_cpu_us", [one.cpu_us for one in rounds], "us/event"),
            median_figure(f"{name}_p95_ms", [one.p95_ms for one in rounds], "ms"),
            median_figure(f"{name}_faults", missed, "%"),
            median_figure(
                f"{name}_events_per_frame", [one.delivered / one.frames for one in rounds], ""
            ),
            median_figure(f"{name}_written", [one.events_per_second for one in rounds], "1/s"),
        ]
    return figures
