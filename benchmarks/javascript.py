"""Cost of JavaScript: tiny programs in it over the same in Python, and Python's own share."""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from typing import Any

from benchmarks.report import Figure, report, spread
from runner.sandbox import Module, Pool, Program, Verdict, as_module
from runner.sandbox.javascript import context
from runner.sandbox.process.roles import Roles
from runner.sandbox.supervisor.prefork import Prefork

_PYTHON = "def Add(a, b):\n    return a + b\n"
_JAVASCRIPT = as_module("function Add(a, b) {\n  return a + b;\n}\n")
_CALLS = 1_000
_TEST = "for n in range({}):\n    assert Add(n, 1) == n + 1\n"
_OTHER_TEST = as_module("assert.equal(Add(1, 2), 3);\n")


class _PythonOnly(Roles):
    """The process of programs as it was before there was JavaScript."""

    def prepare(self, output: Any) -> None:
        super().prepare(output)
        context.forget()


python_only = _PythonOnly()


def _program(implementation: str, test: str) -> Program:
    modules = (Module("Add", implementation), Module("test", test, ("Add",)))
    return Program(modules, "test", "Add")


def _times(samples: int) -> dict[str, list[float]]:
    """Return milliseconds of each run, interleaved."""
    programs = {
        "python": _program(_PYTHON, _TEST.format(1)),
        "javascript": _program(_JAVASCRIPT, _TEST.format(1)),
        "test": _program(_PYTHON, _OTHER_TEST),
        "python_calls": _program(_PYTHON, _TEST.format(_CALLS)),
        "javascript_calls": _program(_JAVASCRIPT, _TEST.format(_CALLS)),
    }
    found: dict[str, list[float]] = {name: [] for name in (*programs, "python_only")}
    bare = Prefork(ahead=6, run="benchmarks.javascript:python_only")
    with Pool(1) as pool, Pool(1, prefork=bare) as without:
        runs = [(name, pool, program) for name, program in programs.items()]
        runs.append(("python_only", without, programs["python"]))
        for number in range(samples + 5):
            for name, where, program in runs:
                began = time.perf_counter()
                outcome = where.run(program)
                took = (time.perf_counter() - began) * 1e3
                if outcome.verdict is not Verdict.PASSED:
                    raise RuntimeError(f"{name}: {outcome.message}")
                if number >= 5:
                    found[name].append(took)
    return found


def _figures(samples: int) -> list[Figure]:
    times = _times(samples)
    medians = {name: statistics.median(each) for name, each in times.items()}
    calls = (medians["javascript_calls"] - medians["javascript"]) * 1e3 / _CALLS
    measured = (
        ("javascript_ms", medians["javascript"], "ms", "", "javascript"),
        (
            "javascript_over_python",
            medians["javascript"] / medians["python"],
            "times",
            "<= 1.3",
            "",
        ),
        ("test_over_python", medians["test"] / medians["python"], "times", "<= 1.3", ""),
        ("call_us", calls, "µs", "", "javascript_calls"),
        (
            "calls_over_python",
            medians["javascript_calls"] / medians["python_calls"],
            "times",
            "<= 2",
            "",
        ),
        ("python_over_before", medians["python"] / medians["python_only"], "times", "<= 1.05", ""),
    )
    return [
        Figure(name, value, unit, goal, samples, spread(times.get(of or "python", [])))
        for name, value, unit, goal, of in measured
    ]


def main() -> int:
    """Measure; return 0 if all goals are met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer runs, in seconds")
    return 0 if report("javascript", _figures(20 if parser.parse_args().quick else 200)) else 1


if __name__ == "__main__":
    sys.exit(main())
