"""A change of a document that thousands link: cost per linking document, over a bare UPDATE."""

from __future__ import annotations

import argparse
import importlib
import os
import statistics
import sys
from typing import Any

import django

from benchmarks.report import Figure, report, spread
from benchmarks.site import PrivateSite

ROUNDS, QUICK_ROUNDS = 5, 1
FEW, MANY, QUICK_MANY = 1_000, 10_000, 2_000
BARE = 1_000


def measure(rounds: int, many: int) -> dict[str, list[Any]]:
    """Change two targets in turn; return what is measured in each round."""
    found: dict[str, list[Any]] = {"few": [], "many": [], "bare": []}
    with PrivateSite(workers=0, web=False) as site:
        os.environ |= {
            **site.environment(SOCIALCODE_RUNS_PER_DAY="10000000", SOCIALCODE_WORKERS="1"),
            "DJANGO_SETTINGS_MODULE": "socialcode.settings",
        }
        django.setup()
        # Imported here, as it needs Django set up with the site's environment.
        linking = importlib.import_module("benchmarks.linking").Linking()
        sizes = {"few": FEW, "many": many}
        for name, count in sizes.items():
            linking.build(name.title(), count)
        for number in range(rounds):
            found["bare"].append(linking.update_bare("Many", BARE) / BARE * 1_000)
            for name, count in sizes.items():
                written, seconds, executions = linking.change(name.title())
                found[name].append((written * 1_000, seconds / count * 1_000, executions))
            print(f"\rround {number + 1} of {rounds}", end="", file=sys.stderr)
        print(file=sys.stderr)
        if differences := linking.differences():
            raise ValueError("\n".join(differences[:20]))
        linking.close()
    return found


def figures(quick: bool) -> list[Figure]:
    """Return the figures."""
    found = measure(QUICK_ROUNDS if quick else ROUNDS, QUICK_MANY if quick else MANY)
    few_ms = [each[1] for each in found["few"]]
    many_ms = [each[1] for each in found["many"]]
    over = [one / other for one, other in zip(many_ms, found["bare"], strict=True)]
    growth = [one / other for one, other in zip(many_ms, few_ms, strict=True)]
    writers = [each[0] for each in found["many"]]
    executions = sum(each[2] for each in found["many"]) / len(many_ms)
    return [
        _median("linking_document_over_update", over, "x", "<= 5"),
        _median("linking_document_growth", growth, "x", "<= 1.2"),
        _median("linking_document_ms", many_ms, "ms"),
        _median("linking_document_ms_of_1000", few_ms, "ms"),
        _median("bare_update_ms", found["bare"], "ms"),
        _median("writer_ms", writers, "ms"),
        Figure("executions_per_change", executions, "runs", "<= 1", len(many_ms)),
    ]


def _median(name: str, values: list[float], unit: str, goal: str = "") -> Figure:
    return Figure(name, statistics.median(values), unit, goal, len(values), spread(values))


def main() -> int:
    """Measure; return 0 if all goals are met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one round of fewer documents")
    return 0 if report("documents", figures(parser.parse_args().quick)) else 1


if __name__ == "__main__":
    sys.exit(main())
