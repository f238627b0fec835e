"""Calls over HTTP, relative to the bare sandbox and to a fresh confined Python, in turns.

The called function is of realistic size (89 lines), and compiled in advance for all. A tiny one is
called too, for which the overhead prevails.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from benchmarks.costs import cpu_seconds, own_cpu_seconds
from benchmarks.report import Figure, report, spread
from benchmarks.sandbox import fresh_run, run_fresh
from benchmarks.sandbox_programs import MEDIUM, TINY
from benchmarks.site import Api, ApiError, PrivateSite
from runner.calls.server import CALL_LIMITS
from runner.sandbox import Pool, Program, Verdict

RUNS = 200
QUICK_RUNS = 20
BURSTS = 9
QUICK_BURSTS = 2
WARM_UP_RUNS = 10
CLIENTS = 4
CALLS_OF_EACH = 50
CORES = 2
# Between calls, so that cleanup of one doesn't slow down the next.
PAUSE_SECONDS = 0.02
TIMEOUT_SECONDS = 30.0


@dataclass(slots=True)
class Called:
    """A function of the site, and the program of its call."""

    name: str
    program: Program
    arguments: dict[str, Any]
    result: Any
    call_ms: list[float] = field(default_factory=list)
    bare_ms: list[float] = field(default_factory=list)

    @property
    def over_bare(self) -> list[float]:
        return [ours / bare for ours, bare in zip(self.call_ms, self.bare_ms, strict=True)]


def called(test: Program, result: Any, *args: Any) -> Called:
    """Return the function that a program tests."""
    arguments = {"args": list(args), "kwargs": {}}
    module = test.modules[0]
    program = Program((module,), "call", module.name, CALL_LIMITS, arguments=arguments)
    return Called(module.name, program, arguments, result)


def publish(api: Api, one: Called) -> None:
    """Publish the function, and wait until it is implemented."""
    api.request("POST", "functions/", {"name": one.name, "signature": "", "description": ""})
    code = {"code": one.program.modules[0].source}
    draft = api.request("POST", f"functions/{one.name}/implementations/", code)
    api.request("POST", f"implementations/{draft['id']}/publish/")
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while api.request("GET", f"functions/{one.name}/")["status"] != "implemented":
        if time.monotonic() > deadline:
            raise TimeoutError(f"{one.name} was not elected")
        time.sleep(0.1)


def call(api: Api, one: Called) -> None:
    """Call the function over HTTP."""
    answer = api.request("POST", f"functions/{one.name}/call/", one.arguments)
    if answer["result"] != one.result:
        raise ValueError(f"{one.name} returned {answer['result']!r}")


def await_callers(site: PrivateSite, one: Called) -> None:
    """Wait until calls are served."""
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while True:
        try:
            return call(site.api, one)
        except ApiError as error:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{error}\n{site.logs()}") from error
            time.sleep(0.2)


def run_bare(pool: Pool, one: Called) -> None:
    """Run the same program in this process's sandbox."""
    outcome = pool.run(one.program)
    if outcome.verdict is not Verdict.PASSED or outcome.value != one.result:
        raise ValueError(f"{one.name} did not pass: {outcome}")


def _ms(action: Callable[..., object], *arguments: Any) -> float:
    time.sleep(PAUSE_SECONDS)
    began = time.perf_counter()
    action(*arguments)
    return (time.perf_counter() - began) * 1_000


def _latencies(api: Api, functions: Sequence[Called], runs: int) -> list[float]:
    """Measure each in turn; return the times of a fresh Python for the first one."""
    _, fresh_once = fresh_run(functions[0].program)
    fresh_ms = []
    with Pool(1) as pool:
        for number in range(-WARM_UP_RUNS, runs):
            for one in functions:
                first = [_ms(run_bare, pool, one)] if number % 2 else []
                over_http = _ms(call, api, one)
                bare = (first or [_ms(run_bare, pool, one)])[0]
                if number >= 0:
                    one.call_ms.append(over_http)
                    one.bare_ms.append(bare)
            fresh_ms.append(_ms(run_fresh, fresh_once, 1, 1))
    return fresh_ms[WARM_UP_RUNS:]


def _cpu_seconds(site: PrivateSite) -> dict[str, float]:
    """Return the CPU time used by each part: the client (this process) and those of the site."""
    pids = site.pids
    callers = own_cpu_seconds(pids["callers"])
    return {
        "client": time.process_time(),
        "web": own_cpu_seconds(pids["web"]),
        "callers": callers,
        "sandbox": cpu_seconds([pids["callers"]]) - callers,
        "postgres": cpu_seconds([pids["postgres"]]),
        "valkey": own_cpu_seconds(pids["valkey"]),
    }


def _parts(site: PrivateSite, one: Called, calls: int) -> list[Figure]:
    """Measure the CPU time of a call in each part; calls are sequential."""
    before = _cpu_seconds(site)
    for _ in range(calls):
        _ms(call, site.api, one)
    after = _cpu_seconds(site)
    return [
        Figure(f"cpu_{part}_ms", (after[part] - before[part]) / calls * 1_000, "ms", runs=calls)
        for part in after
    ]


def _rates(api: Api, one: Called, bursts: int) -> tuple[list[float], list[float]]:
    """Return calls per second of several clients, and their ratio to a fresh Python's."""
    _, fresh_once = fresh_run(one.program)
    clients = [api.another() for _ in range(CLIENTS)]

    def insist(client: Api) -> None:
        for _ in range(CALLS_OF_EACH):
            call(client, one)

    rates, ratios = [], []
    with ThreadPoolExecutor(CLIENTS) as threads:
        list(threads.map(insist, clients))
        for _ in range(bursts):
            seconds = _ms(lambda: list(threads.map(insist, clients))) / 1_000
            rates.append(CLIENTS * CALLS_OF_EACH / seconds)
            fresh_seconds = _ms(run_fresh, fresh_once, 8, CORES) / 1_000 / 8
            ratios.append(rates[-1] * fresh_seconds)
    return rates, ratios


def _figure(name: str, unit: str, samples: Sequence[float], goal: str = "") -> Figure:
    return Figure(name, statistics.median(samples), unit, goal, len(samples), spread(samples))


def main() -> int:
    """Measure; return 0 if all goals are met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer runs, in half a minute")
    quick = parser.parse_args().quick
    # The quota is counted as usual, but never reached.
    os.environ["SOCIALCODE_CALLS_PER_MINUTE"] = "1000000"
    os.environ["SOCIALCODE_CALL_SLOTS"] = str(CORES)
    medium = called(MEDIUM, 11.5, "2 * (3 + 4) - 10 / 4")
    tiny = called(TINY, 3, 1, 2)
    with PrivateSite(workers=1) as site:
        for one in (medium, tiny):
            publish(site.api, one)
        await_callers(site, medium)
        fresh_ms = _latencies(site.api, [medium, tiny], QUICK_RUNS if quick else RUNS)
        parts = _parts(site, medium, QUICK_RUNS if quick else RUNS)
        rates, ratios = _rates(site.api, medium, QUICK_BURSTS if quick else BURSTS)
    over_fresh = [fresh / ours for fresh, ours in zip(fresh_ms, medium.call_ms, strict=True)]
    figures = [
        _figure("call_over_bare_sandbox", "x", medium.over_bare, "<= 3"),
        _figure("tiny_call_over_bare_sandbox", "x", tiny.over_bare),
        _figure("fresh_confined_over_call", "x", over_fresh),
        _figure("calls_per_second", "1/s", rates),
        _figure("calls_per_second_over_fresh_confined", "x", ratios),
        _figure("call_ms", "ms", medium.call_ms),
        _figure("bare_sandbox_ms", "ms", medium.bare_ms),
        _figure("tiny_call_ms", "ms", tiny.call_ms),
        _figure("tiny_bare_sandbox_ms", "ms", tiny.bare_ms),
        _figure("fresh_confined_ms", "ms", fresh_ms),
        *parts,
    ]
    return 0 if report("calls", figures) else 1


if __name__ == "__main__":
    sys.exit(main())
