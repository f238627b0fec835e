"""Cost per task and throughput against workers, with workers that execute nothing.

Also draws the pictures of docs/scaling.md: `--pictures docs/images`; with `--draw`, from the last
measurement.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
from pathlib import Path
from typing import Any

import django

from benchmarks.report import OUT, Figure, report
from benchmarks.scaling_pictures import draw_all
from benchmarks.site import PrivateSite
from socialcode.embedded import postgres

MEASURED = OUT / "scaling-measured.json"
# 64 workers need more connections than a site of two; the rest is for measuring.
SETTINGS = (
    "max_connections=1000",
    "shared_preload_libraries=pg_stat_statements",
    "pg_stat_statements.max=1000",
    "log_lock_waits=on",
)
# No user's limits: the queue is as long as it has to be.
# And no connection of ours stays open, as databases with connections can't be copied.
ENVIRONMENT = {
    "SOCIALCODE_QUEUED_PER_OWNER": "1000000",
    "SOCIALCODE_RUNS_PER_DAY": "10000000",
    "SOCIALCODE_DATABASE_POOL": "0",
}


def measure(quick: bool) -> dict[str, Any]:
    """Measure on a private site whose writes go through to the disk."""
    postgres.SETTINGS += SETTINGS
    with PrivateSite(workers=1, web=False) as site:
        os.environ |= {
            **site.environment(**ENVIRONMENT),
            "DJANGO_SETTINGS_MODULE": "socialcode.settings",
        }
        django.setup()
        # Imported here, as it needs Django set up with the site's environment.
        runs = importlib.import_module("benchmarks.scaling_runs")
        measured: dict[str, Any] = runs.measure(site.pids, quick)
        measured["lock_waits"] = site.logs().count("still waiting for")
        return measured


def figures_of(measured: dict[str, Any]) -> list[Figure]:
    """Return the figures to compare from one version to the next."""
    fastest = max(measured["runs"], key=lambda run: run["per_second"])
    whole, bare, submitted = measured["whole"], measured["bare"], measured["submission"]
    postgres_ms = whole["cpu_ms"]["postgres"] + submitted["cpu_ms"]["postgres"]
    wal = whole["wal_bytes"] + submitted["wal_bytes"]
    return [
        Figure("most_per_second", fastest["per_second"], "1/s"),
        Figure("workers_at_most", fastest["workers"], "workers"),
        Figure("postgres_ms_per_task", postgres_ms, "ms"),
        Figure("of_that_submission", submitted["cpu_ms"]["postgres"], "ms"),
        Figure("postgres_over_bare", postgres_ms / bare["cpu_ms"]["postgres"], "times"),
        Figure("worker_ms_per_task", whole["cpu_ms"]["workers"], "ms"),
        Figure("wal_bytes_per_task", wal, "B"),
        Figure("wal_over_bare", wal / bare["wal_bytes"], "times"),
        Figure("commits_per_task", whole["commits"] + submitted["commits"], ""),
        Figure("valkey_calls_per_task", whole["valkey_calls"], ""),
        Figure("tasks_per_second_and_core_of_postgres", 1_000 / postgres_ms, "1/s"),
    ]


def main() -> int:
    """Measure and draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer workers, shorter runs")
    parser.add_argument("--draw", action="store_true", help="only draw the last measurement")
    parser.add_argument("--pictures", type=Path, default=OUT, help="the folder for the pictures")
    arguments = parser.parse_args()
    if not arguments.draw:
        measured = measure(arguments.quick)
        OUT.mkdir(parents=True, exist_ok=True)
        MEASURED.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
        report("scaling", figures_of(measured))
    draw_all(json.loads(MEASURED.read_text(encoding="utf-8")), arguments.pictures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
