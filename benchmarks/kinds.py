"""Pages over HTTP, relative to Django rendering the same template itself, in turns.

Equal requests within a second share an answer, so distinct ones are measured apart.
"""

from __future__ import annotations

import argparse
import http.client
import itertools
import os
import socket
import statistics
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from benchmarks.costs import cpu_seconds
from benchmarks.kinds_page import FUNCTION, NAME, PAGE
from benchmarks.report import Figure, report, spread
from benchmarks.site import HOST, Api, PrivateSite

CORES = 2
CLIENTS = 4
REQUESTS_OF_EACH = 200
ROUNDS = 9
QUICK_ROUNDS = 2
TIMEOUT_SECONDS = 60.0
QUERY = "?title=%3Cb%3E&first=3"
EXPECTED = b"<td>&lt;item 22&gt;</td><td>33.00</td>"
DISTINCT = "&n="  # with a number, a query that nobody else sends
SERVER = "from benchmarks import kinds_view; kinds_view.serve({handle})"


def publish(api: Api, name: str, kind: str, code: str) -> None:
    """Publish a function or a page, and wait until it is implemented."""
    api.request("POST", "functions/", {"name": name, "kind": kind})
    draft = api.request("POST", f"functions/{name}/implementations/", {"code": code})
    api.request("POST", f"implementations/{draft['id']}/publish/")
    await_that(lambda: api.request("GET", f"functions/{name}/")["status"] == "implemented")


def await_that(holds: Callable[[], bool]) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while not holds():
        if time.monotonic() > deadline:
            raise TimeoutError
        time.sleep(0.1)


def is_served(port: int, path: str) -> bool:
    """Return whether the page is there."""
    try:
        request(http.client.HTTPConnection(HOST, port, timeout=30), path, 1)
    except (OSError, ValueError):
        return False
    return True


def request(connection: http.client.HTTPConnection, path: str, count: int) -> None:
    """Request the page this often. Raises ValueError for anything else."""
    for _ in range(count):
        connection.request("GET", f"{path}{next(_numbers)}" if path.endswith(DISTINCT) else path)
        answer = connection.getresponse()
        content = answer.read()
        if answer.status != http.client.OK or EXPECTED not in content:
            raise ValueError(f"{answer.status}: {content[:500]!r}")


_numbers = itertools.count()


def rate(port: int, path: str) -> float:
    """Return how many requests of several clients are answered in a second."""
    clients = [http.client.HTTPConnection(HOST, port, timeout=30) for _ in range(CLIENTS)]
    began = time.perf_counter()
    with ThreadPoolExecutor(CLIENTS) as threads:
        list(threads.map(lambda one: request(one, path, REQUESTS_OF_EACH), clients))
    seconds = time.perf_counter() - began
    for client in clients:
        client.close()
    return CLIENTS * REQUESTS_OF_EACH / seconds


def figures(rounds: int) -> list[Figure]:
    """Measure both in turns."""
    with PrivateSite(workers=1) as site:
        publish(site.api, "Prices", "function", FUNCTION)
        publish(site.api, NAME, "page", PAGE)
        path = f"/p/{NAME}/{QUERY}"
        with socket.create_server((HOST, 0)) as listener:
            handle, port = listener.fileno(), listener.getsockname()[1]
            site.start("yardstick", "-c", SERVER.format(handle=handle), pass_fds=(handle,))
        await_that(lambda: is_served(site.port, path) and is_served(port, f"/{QUERY}"))
        pages, distinct, bare = [], [], []
        rate(site.port, path)
        rate(port, f"/{QUERY}")
        used = cpu_seconds([site.pids["web"]])
        for number in range(rounds):
            pages.append(rate(site.port, path))
            distinct.append(rate(site.port, path + DISTINCT))
            bare.append(rate(port, f"/{QUERY}"))
            print(f"\rround {number + 1} of {rounds}", end="", file=sys.stderr)
        print(file=sys.stderr)
        used = cpu_seconds([site.pids["web"]]) - used
    ratios = [page / django for page, django in zip(distinct, bare, strict=True)]
    requests = 2 * rounds * CLIENTS * REQUESTS_OF_EACH
    return [
        _figure("distinct_page_over_django", ratios, "x", ">= 0.25"),
        _figure("pages_per_second", pages, "1/s", ">= 300"),
        _figure("distinct_pages_per_second", distinct, "1/s"),
        _figure("django_pages_per_second", bare, "1/s"),
        Figure("web_cpu_ms", used / requests * 1_000, "ms", "", requests),
    ]


def _figure(name: str, samples: list[float], unit: str, goal: str = "") -> Figure:
    return Figure(name, statistics.median(samples), unit, goal, len(samples), spread(samples))


def main() -> int:
    """Measure; return 0 if all goals are met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    quick = parser.parse_args().quick
    # Quotas are counted as usual, but never reached.
    for limit in ("CALLS_PER_MINUTE", "CALLS_PER_DAY", "CPU_SECONDS_PER_DAY"):
        os.environ[f"SOCIALCODE_{limit}"] = "10000000"
    os.environ["SOCIALCODE_CALL_SLOTS"] = str(CORES)
    return 0 if report("kinds", figures(QUICK_ROUNDS if quick else ROUNDS)) else 1


if __name__ == "__main__":
    sys.exit(main())
