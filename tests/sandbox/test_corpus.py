"""Programs as people write them run unchanged: in plain Python, and confined."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from runner.sandbox import Module, Outcome, Pool, Program, Verdict

FOLDER = Path(__file__).parent / "corpus"
PROGRAMS = sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.py"))

# What is refused, by the words that say why; docs/language.md and docs/modules.md list it.
EXCEPTIONS: dict[str, str] = {
    "held_out/copy_and_identity.py": "`weakref.finalize` isn't available here",
    "held_out/doctest_docstrings.py": "`sys.modules` isn't available here",
    "held_out/simulation_turtle_graphics.py": "`xml.etree.ElementTree` can't be imported here",
    "held_out/stdlib_assorted_modules.py": "`secrets` can't be imported here",
}
MOST_EXCEPTIONS = 0.03


def run(pool: Pool, source: str) -> Outcome:
    """As `python -m runner.sandbox FILE` does."""
    return pool.run(Program((Module("main", source),), "script", "main"))


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_runs_unchanged_confined_and_in_plain_python(pool: Pool, name: str) -> None:
    source = (FOLDER / name).read_text("utf-8")
    outcome = run(pool, source)
    if name in EXCEPTIONS:
        assert outcome.verdict is Verdict.POLICY, outcome
        assert EXCEPTIONS[name] in outcome.message
    else:
        assert outcome.verdict is Verdict.PASSED, (outcome.message, outcome.line)
    plain = subprocess.run(
        [sys.executable, "-I", FOLDER / name], capture_output=True, check=False, timeout=30
    )
    assert plain.returncode == 0, plain.stderr.decode()[-500:]


def test_few_programs_are_refused() -> None:
    assert len(PROGRAMS) >= 150
    assert EXCEPTIONS.keys() <= set(PROGRAMS)
    assert len(EXCEPTIONS) <= MOST_EXCEPTIONS * len(PROGRAMS)
