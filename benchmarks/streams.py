"""Streams: losses, latency and cost, relative to the bare design.

Each topic is measured in a separate process with a private site, whose database writes go through
to the disk. The measured server has a core to itself; all other processes share the last one.
"""

from __future__ import annotations

import argparse
import importlib
import multiprocessing
import os
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace

import django

from benchmarks.report import Figure, report, table
from benchmarks.site import PrivateSite
from benchmarks.stream_servers import SITE_SETTINGS, pin_load

TOPICS = {
    "one_topic": "stream_events",
    "sparse": "stream_events",
    "storm": "stream_crises",
    "idle": "stream_rest",
    "memory": "stream_rest",
    "output": "stream_output",
    "layers": "stream_layers",
}


def measure(topic: str, quick: bool) -> list[Figure]:
    """Measure one topic in this process, which may measure no other."""
    pin_load()
    with PrivateSite(workers=1, web=False) as site:
        os.environ |= {**site.environment(), "DJANGO_SETTINGS_MODULE": SITE_SETTINGS}
        django.setup()
        # Imported here, as it needs Django set up with the site's environment.
        module = importlib.import_module(f"benchmarks.{TOPICS[topic]}")
        figures: Callable[[bool], list[Figure]] = getattr(module, topic)
        return figures(quick)


def _measure_apart(topic: str, quick: bool) -> list[Figure]:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, context) as process:
        return process.submit(measure, topic, quick).result()


def _summed(figures: list[Figure]) -> list[Figure]:
    """Sum the figures of the same name, which count faults."""
    found: dict[str, Figure] = {}
    for figure in figures:
        if before := found.get(figure.name):
            value, runs = before.value + figure.value, before.runs + figure.runs
            found[figure.name] = replace(before, value=value, runs=runs)
        else:
            found[figure.name] = figure
    return list(found.values())


def main() -> int:
    """Measure; return 0 if all goals are met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer runs, smaller sizes")
    parser.add_argument("topics", nargs="*", help=f"of {', '.join(TOPICS)}; default: all")
    arguments = parser.parse_args()
    found: list[Figure] = []
    for topic in arguments.topics or TOPICS:
        print(f"measuring {topic}", file=sys.stderr)
        measured = _measure_apart(topic, arguments.quick)
        print(table(measured), file=sys.stderr)  # after each topic, in case a later one fails
        found += measured
    return 0 if report("streams", _summed(found)) else 1


if __name__ == "__main__":
    sys.exit(main())
