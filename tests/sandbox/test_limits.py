"""Limits: what may be set, what is too large to be sent, and what every hostile program meets."""

from __future__ import annotations

from typing import Any

import pytest

from runner.sandbox import Limits, Module, Pool, Program, Refused, Verdict
from tests.sandbox.conftest import program_loading, program_testing


@pytest.mark.parametrize(
    "nonsense",
    [
        {"cpu_ms": 0},
        {"wall_ms": -1},
        {"wall_ms": 3_600_001},
        {"cpu_ms": 1.5},
        {"cpu_ms": True},
        {"memory_bytes": "128 MB"},
        {"memory_bytes": 1_000},
        {"output_bytes": None},
        {"output_lines": 1 << 60},
        {"result_bytes": 2_000_000},
        {"recursion": 10},
        {"recursion": 1_000_000},
        {"source_bytes": 1 << 20},
        {"closure_bytes": 0},
    ],
    ids=str,
)
def test_a_limit_that_makes_no_sense_is_refused_with_its_bounds(nonsense: dict[str, Any]) -> None:
    (name,) = nonsense
    with pytest.raises(Refused, match=f"limit {name} must be a whole number from .* to .*, not "):
        Limits(**nonsense)


def test_a_source_that_is_too_large_is_told_before_it_is_sent(pool: Pool) -> None:
    source = "F = 1\n" + "#" * 300_000
    outcome = pool.run(program_loading(source))
    assert (outcome.verdict, outcome.module) == (Verdict.POLICY, "F")
    assert "the source of F has 300,006 bytes, 262,144 are allowed" in outcome.message
    assert outcome.wall_us == 0


def test_bytes_are_counted_not_characters(pool: Pool) -> None:
    tight = Limits(source_bytes=20)
    assert pool.run(program_loading("F = 'éééé'", limits=tight)).verdict is Verdict.PASSED
    assert pool.run(program_loading("F = 'ééééééééé'", limits=tight)).verdict is Verdict.POLICY


def test_sources_that_are_too_large_together_are_told_before_they_are_sent(pool: Pool) -> None:
    filling = "#" * 200_000
    modules = tuple(Module(f"F{n}", f"F{n} = 1\n{filling}") for n in range(6))
    outcome = pool.run(Program(modules, "load", "F5"))
    assert (outcome.verdict, outcome.module) == (Verdict.POLICY, None)
    assert "the 6 modules that this run needs have 1,200,042 bytes in all" in outcome.message
    assert pool.run(Program(modules[1:], "load", "F5")).verdict is Verdict.PASSED


def test_a_program_of_the_largest_size_still_runs(pool: Pool) -> None:
    source = "F = 1\n" + "#" * (Limits().source_bytes - 6)
    assert pool.run(program_testing(source, "assert F == 1")).verdict is Verdict.PASSED


def test_a_script_runs_as_main_and_needs_no_name(pool: Pool) -> None:
    helper = Module("Double", "def Double(x): return 2 * x\nlog(__name__)")
    source = "def test_unasked(): 1 / 0\nif __name__ == '__main__':\n    print(Double(21))\n"
    script = Program((helper, Module("Script", source, ("Double",))), "script", "Script")
    outcome = pool.run(script)
    assert outcome.verdict is Verdict.PASSED, outcome.message
    assert [line.text for line in outcome.log] == ["Double", "42"]
    assert outcome.cases == ()


def test_a_dataclass_of_a_script_finds_its_annotations(pool: Pool) -> None:
    source = (
        "from __future__ import annotations\n"
        "from dataclasses import dataclass, field\n"
        "@dataclass\nclass Point:\n    x: int\n    y: list[int] = field(default_factory=list)\n"
        "assert Point(1) == Point(1, [])\n"
    )
    outcome = pool.run(Program((Module("Script", source),), "script", "Script"))
    assert outcome.verdict is Verdict.PASSED, outcome.message
