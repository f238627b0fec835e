"""Measures the cost of checking sources of all kinds of syntax.

A source of twice the size should take twice as long, whatever it consists of.
"""

from __future__ import annotations

import argparse
import gc
import math
import statistics
import sys
import time
from collections.abc import Iterator, Mapping

from benchmarks.grammar import Make, makers
from benchmarks.report import Figure, report
from runner.sandbox.language.compilation import LONGEST_SOURCE_BYTES, check

SIZES = (8_192, 16_384, 32_768, 65_536)
QUICK_SIZES = SIZES[:2]
# The shortest time of these runs counts, as it is the least disturbed.
RUNS = 3
QUICK_RUNS = 2
# Shorter times are too inexact.
LEAST_SECONDS = 0.002
SHOWN = 8


def repeated(part: str, *, begin: str = "", end: str = "") -> Make:
    """Return a function that makes a source of a size, by repetition of a part."""

    def make(size: int) -> str:
        count = max(1, (size - len(begin) - len(end)) // len(part))
        return begin + part * count + end

    return make


# Sources that don't follow from the grammar: hard ones for the tokenizer, and refused ones.
TEXTS: Mapping[str, Make] = {
    "comment": repeated("# <<Add>>\n"),
    "blank lines": repeated("\n", end="a\n"),
    "expressions in a line": repeated("a;"),
    "long number": repeated("f", begin="x = 0x", end="\n"),
    "long text": repeated("a", begin="x = '", end="'\n"),
    "joined texts": repeated("'a' ", begin="x = (", end=")\n"),
    "docstring": repeated("a\n", begin="'''", end="'''\n"),
    "escapes": repeated("\\x00", begin="x = '", end="'\n"),
    "names": lambda size: "".join(f"name_{n} = {n}\n" for n in range(size // 19)),
    "assert of calls": repeated("assert f(x.y, z[1]) == g(2), h\n"),
    "assert of and": repeated(" and a.b == c", begin="assert d", end="\n"),
    "assert of comparisons": repeated(" < a", begin="assert b", end="\n"),
    "asserts of a method": repeated(
        "        assert self.a == b\n", begin="class C:\n    def f(self):\n"
    ),
    "nested brackets": repeated("x = " + "[" * 100 + "]" * 100 + "\n"),
    "sums": repeated("x = " + "a + " * 100 + "b\n"),
    "signs": repeated("x = " + "-" * 100 + "a\n"),
    "managers": repeated("with a, b, c, d, e, f, g, h: i\n"),
    "imports": repeated("from math import sin, cos as c\nimport json as j\n"),
    "not Python": repeated("a a\n"),
    "what is refused": repeated("import socket\n"),
}


def measure(sizes: tuple[int, ...], runs: int) -> Iterator[tuple[str, list[float], float]]:
    """Yield (kind, growths from size to size, milliseconds per KB)."""
    for kind, make in (*makers(), *TEXTS.items()):
        sources = [make(size) for size in sizes]
        seconds = [min(_seconds(source) for _ in range(runs)) for source in sources]
        growths = [
            (longer / shorter) ** (1 / math.log2(len(more) / len(less)))
            for shorter, longer, less, more in zip(
                seconds, seconds[1:], sources, sources[1:], strict=False
            )
            if shorter >= LEAST_SECONDS
        ]
        rates = [
            each * 1_000 / (len(source) / 1_024)
            for each, source in zip(seconds, sources, strict=True)
        ]
        yield kind, growths, max(rates)


def _seconds(source: str) -> float:
    # Without garbage collection during the check, as in a process per check.
    gc.collect()
    gc.disable()
    began = time.process_time()
    check(source, name="F")
    took = time.process_time() - began
    gc.enable()
    return took


def main() -> int:
    """Measure all kinds; return 0 if all goals are met."""
    parser = argparse.ArgumentParser(description="Measure the cost of checking a source.")
    parser.add_argument("--quick", action="store_true", help="smaller sources, fewer runs")
    quick = parser.parse_args().quick
    assert SIZES[-1] <= LONGEST_SOURCE_BYTES
    check("def f(x):\n    return x\n", name="F")
    measured = list(measure(QUICK_SIZES if quick else SIZES, QUICK_RUNS if quick else RUNS))
    _show(measured)
    growths = {kind: max(found) for kind, found, _ in measured if found}
    rates = {kind: rate for kind, _, rate in measured}
    figures = [
        _worst("worst_doubling", "x", growths, "<= 2.3"),
        _worst("worst_ms_per_kb", "ms", rates, "<= 2.0"),
        _of_all("median_ms_per_kb", "ms", list(rates.values())),
    ]
    return 0 if report("compile", figures) else 1


def _show(measured: list[tuple[str, list[float], float]]) -> None:
    """Print the worst kinds by each measure."""
    rates = [(rate, kind) for kind, _, rate in measured]
    growths = [(max(found), kind) for kind, found, _ in measured if found]
    for name, values in (("ms for each KB", rates), ("doubling", growths)):
        worst = sorted(values, reverse=True)[:SHOWN]
        print(f"{name}: " + ", ".join(f"{kind} {value:.2f}" for value, kind in worst))


def _worst(name: str, unit: str, found: Mapping[str, float], goal: str) -> Figure:
    values = sorted(found.values())
    return Figure(name, values[-1], unit, goal, len(values))


def _of_all(name: str, unit: str, values: list[float]) -> Figure:
    return Figure(name, statistics.median(values), unit, "", len(values))


if __name__ == "__main__":
    sys.exit(main())
