"""Batches: speed, constant cost, fairness, and recovery from faults.

Each topic is measured in a separate process with a private site, whose database writes go through
to the disk, and with workers of its own.
"""

from __future__ import annotations

import argparse
import importlib.util
import multiprocessing
import os
import sys
from concurrent.futures import ProcessPoolExecutor

import django

from benchmarks.report import Figure, report, table
from benchmarks.site import PrivateSite

WORKERS = 2
MACHINERY = ("throughput", "growth", "waiting")
OTHERS = ("votes", "cascades", "newcomers")


def measure(topic: str, quick: bool) -> list[Figure]:
    """Measure one topic in this process, which may measure no other."""
    if topic in OTHERS:
        return _figures(topic, quick)
    with PrivateSite(workers=WORKERS, web=False) as site:
        os.environ |= {**site.environment(), "DJANGO_SETTINGS_MODULE": "socialcode.settings"}
        django.setup()
        return _figures(topic, quick)


def _figures(topic: str, quick: bool) -> list[Figure]:
    # Imported here, as it needs Django set up with the site's environment.
    module = importlib.import_module(f"benchmarks.{topic}")
    figures: list[Figure] = module.figures(quick)
    return figures


def _measure_apart(topic: str, quick: bool) -> list[Figure]:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, context) as process:
        return process.submit(measure, topic, quick).result()


def main() -> int:
    """Measure; return 0 if all goals are met."""
    there = [*MACHINERY, *(one for one in OTHERS if importlib.util.find_spec(f"benchmarks.{one}"))]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer runs, smaller sizes")
    parser.add_argument("topics", nargs="*", help=f"of {', '.join(there)}; default: all")
    arguments = parser.parse_args()
    found: list[Figure] = []
    for topic in arguments.topics or there:
        print(f"measuring {topic}", file=sys.stderr)
        measured = _measure_apart(topic, arguments.quick)
        print(table(measured), file=sys.stderr)  # after each topic, in case a later one fails
        found += measured
    return 0 if report("batches", found) else 1


if __name__ == "__main__":
    sys.exit(main())
