"""Measures the cost of checking a source: each kind of statement and expression, doubled in size.

A source of twice the size should take twice as long, whatever it consists of.
"""

from __future__ import annotations

import argparse
import gc
import math
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping

from benchmarks.report import Figure, report
from runner.sandbox.language.compilation import LONGEST_SOURCE_BYTES, check

SIZES = (8_192, 16_384, 32_768, 65_536)
QUICK_SIZES = SIZES[:2]
# The shortest of so many is what it takes where nothing else runs.
RUNS = 3
QUICK_RUNS = 2
# Shorter times measure the clock rather than the source.
LEAST_SECONDS = 0.002
SHOWN = 8


def repeated(part: str, *, begin: str = "", end: str = "") -> Callable[[int], str]:
    """Return what makes a source of a size: with as many of the part as fit."""

    def make(size: int) -> str:
        count = max(1, (size - len(begin) - len(end)) // len(part))
        return begin + part * count + end

    return make


def blocks(part: str, inner: str, most: int) -> Callable[[int], str]:
    """Return what makes a source of blocks, each with so many others inside of each other."""
    nested = "".join(" " * depth + part for depth in range(most)) + " " * most + inner
    return repeated(nested)


KINDS: Mapping[str, Callable[[int], str]] = {
    # statements
    "expression": repeated("a\n"),
    "expressions in a line": repeated("a;"),
    "assignment": repeated("a = b\n"),
    "chained assignment": repeated("a = ", end="b\n"),
    "unpacking": repeated("a, *b = c\n"),
    "attribute assignment": repeated("a.b = c\n"),
    "item assignment": repeated("a[b] = c\n"),
    "augmented": repeated("a += b\n"),
    "augmented attribute": repeated("a.b += c\n"),
    "augmented item": repeated("a[b] += c\n"),
    "annotation": repeated("a: b\n"),
    "annotated assignment": repeated("a: b = c\n"),
    "del": repeated("del a, b.c, d[e]\n"),
    "pass": repeated("pass\n"),
    "assert": repeated("assert x == 1\n"),
    "assert of calls": repeated("assert f(x.y, z[1]) == g(2), h\n"),
    "assert of and": repeated(" and a.b == c", begin="assert d", end="\n"),
    "assert of comparisons": repeated(" < a", begin="assert b", end="\n"),
    "raise": repeated("raise a from b\n"),
    "if": repeated("if a:\n    b\n"),
    "elif": repeated("elif a:\n b\n", begin="if a:\n b\n"),
    "nested ifs": blocks("if a:\n", "b\n", 18),
    "for": repeated("for a in b:\n    c\n"),
    "while": repeated("while a:\n    b\n"),
    "with": repeated("with a as b:\n    c\n"),
    "with of two": repeated("with a as b, c as d:\n    e\n"),
    "with of many": repeated("a as b, ", begin="with (", end="c):\n    d\n"),
    "with of eight": repeated("with a, b, c, d, e, f, g, h: i\n"),
    "nested withs": blocks("with a:\n", "b\n", 9),
    "try": repeated("try:\n    a\nexcept b:\n    c\nfinally:\n    d\n"),
    "excepts": repeated("except a:\n b\n", begin="try:\n c\n"),
    "bare except": repeated("try:\n    a\nexcept Exception:\n    b\n"),
    "match": repeated("match a:\n    case b.c: d\n"),
    "cases": repeated("    case [a, {1: b}, C(d=e)]: f\n", begin="match a:\n"),
    "or of patterns": repeated("1 | ", begin="match a:\n    case ", end="2: b\n"),
    "function": repeated("def f(a, b=1, *c, d, **e):\n    return a\n"),
    "nested functions": blocks("def f(a):\n", "a\n", 20),
    "parameters": lambda size: f"def f({', '.join(f'a{n}' for n in range(size // 7))}): pass\n",
    "method": repeated("    def f(self):\n        return self.a\n", begin="class C:\n"),
    "class": repeated("class C(a):\n    b = c\n"),
    "nested classes": blocks("class C:\n", "a\n", 18),
    "decorators": repeated("@a\n", end="def f():\n    pass\n"),
    "async": repeated("async def f():\n    async with a as b:\n        await c\n"),
    "global": lambda size: f"def f():\n    global {', '.join(f'a{n}' for n in range(size // 7))}\n",
    "import": repeated("import math, json as j\n"),
    "from import": repeated("from math import sin, cos as c\n"),
    "comment": repeated("# <<Add>>\n"),
    "blank lines": repeated("\n", end="a\n"),
    # expressions
    "number": repeated("1, ", begin="x = [", end="]\n"),
    "long number": repeated("f", begin="x = 0x", end="\n"),
    "text": repeated("'a', ", begin="x = [", end="]\n"),
    "joined texts": repeated("'a' ", begin="x = (", end=")\n"),
    "long text": repeated("a", begin="x = '", end="'\n"),
    "docstring": repeated("a\n", begin="'''", end="'''\n"),
    "escapes": repeated("\\x00", begin="x = '", end="'\n"),
    "f-string": repeated("{a}", begin="x = f'", end="'\n"),
    "f-strings": repeated("f'{a!r:>{b}}', ", begin="x = [", end="]\n"),
    "format": repeated("'{}'.format(a), ", begin="x = [", end="]\n"),
    "attributes": repeated("a.b, ", begin="x = [", end="]\n"),
    "private attributes": repeated("self._a, ", begin="def f(self):\n    x = [", end="]\n"),
    "chain of attributes": lambda size: f"x = [{'a' + '.b' * 200}]\n" * (size // 412),
    "items": repeated("a[b], ", begin="x = [", end="]\n"),
    "slices": repeated("1:2, ", begin="x = a[", end="3]\n"),
    "call": repeated("f(a)\n"),
    "arguments": repeated("a, ", begin="f(", end=")\n"),
    "keywords": lambda size: f"f({', '.join(f'a{n}=1' for n in range(size // 9))})\n",
    "nested brackets": repeated("x = " + "[" * 100 + "]" * 100 + "\n"),
    "starred": repeated("*a, ", begin="x = [", end="]\n"),
    "dictionary": repeated("a: b, ", begin="x = {", end="}\n"),
    "sum": repeated("x = " + "a + " * 100 + "b\n"),
    "signs": repeated("x = " + "-" * 100 + "a\n"),
    "comparison": repeated(" < a", begin="x = b", end="\n"),
    "and": repeated(" and a", begin="x = b", end="\n"),
    "if expression": repeated("a if b else c, ", begin="x = [", end="]\n"),
    "lambda": repeated("lambda a, b=1: a, ", begin="x = [", end="]\n"),
    "nested lambdas": repeated("x = " + "lambda a: " * 30 + "a\n"),
    "walrus": repeated("(a := b), ", begin="x = [", end="]\n"),
    "comprehension": repeated("[a for a in b if c], ", begin="x = [", end="]\n"),
    "clauses": repeated("x = [a " + "for a in b " * 15 + "]\n"),
    "conditions": repeated("if a ", begin="x = [a for a in b ", end="]\n"),
    "yield": repeated("    yield a\n", begin="def f():\n"),
    "names": lambda size: "".join(f"name_{n} = {n}\n" for n in range(size // 19)),
    "not Python": repeated("a a\n"),
    "what is refused": repeated("a.__globals__\n"),
}


def measure(sizes: tuple[int, ...], runs: int) -> Iterator[tuple[str, list[float], float]]:
    """Yield each kind with its growths from size to size, and its milliseconds for each KB."""
    for kind, make in KINDS.items():
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
    # As in the process of a check, which ends with it.
    gc.collect()
    gc.disable()
    began = time.process_time()
    check(source, name="F")
    took = time.process_time() - began
    gc.enable()
    return took


def main() -> int:
    """Measure all kinds; the exit code says whether all goals are met."""
    parser = argparse.ArgumentParser(description="Measure what checking a source costs.")
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
    """Print the worst kinds by either measure."""
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
