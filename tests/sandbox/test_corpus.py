"""Programs as people write them run unchanged: in plain Python, and confined."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from runner.sandbox import Module, Outcome, Pool, Program, Verdict

FOLDER = Path(__file__).parent / "corpus"
PROGRAMS = sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.py"))

# What is refused, by the words that say why; docs/language.md and docs/modules.md list it.
EXCEPTIONS: dict[str, str] = {
    "held_out/doctest_docstrings.py": "`sys.modules` isn't available here",
    "held_out/simulation_turtle_graphics.py": "`xml.etree.ElementTree` can't be imported here",
    "held_out/stdlib_assorted_modules.py": "`secrets` can't be imported here",
    "third_look/oop_vehicles_super.py": "the method `__del__` is out of reach here",
}
# What a release of Python gets wrong from one version up to another: there, these aren't run.
MISTAKEN: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "recipes/asyncio_patterns.py": ((3, 11, 0), (3, 11, 3)),  # asyncio.timeout, once cancelled
    "third_look/unittest_bank.py": ((3, 12, 1), (3, 12, 2)),  # what is skipped counts as not run
}
MOST_EXCEPTIONS = 0.03


def run(pool: Pool, source: str) -> Outcome:
    """As `python -m runner.sandbox FILE` does."""
    return pool.run(Program((Module("main", source),), "script", "main"))


@pytest.fixture(scope="module")
def complaint_of(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], str]]:
    """Give a way to run a file in plain Python: returns why it failed, or nothing."""
    errors = tmp_path_factory.mktemp("plain") / "errors"
    runner = [sys.executable, "-I", str(FOLDER.parent / "plain.py"), str(errors)]
    with subprocess.Popen(
        runner, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        requests, answers = process.stdin, process.stdout

        def run_plainly(name: str) -> str:
            print(FOLDER / name, file=requests, flush=True)
            code = answers.readline().strip()
            return "" if code == "0" else f"{code}: {errors.read_text('utf-8')[-500:]}"

        yield run_plainly


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_runs_unchanged_confined_and_in_plain_python(
    pool: Pool, complaint_of: Callable[[str], str], name: str
) -> None:
    since, until = MISTAKEN.get(name, ((), ()))
    if since <= sys.version_info[:3] < until:
        pytest.skip("this release of Python gets it wrong")
    source = (FOLDER / name).read_text("utf-8")
    outcome = run(pool, source)
    if name in EXCEPTIONS:
        assert outcome.verdict is Verdict.POLICY, outcome
        assert EXCEPTIONS[name] in outcome.message
    else:
        assert outcome.verdict is Verdict.PASSED, (outcome.message, outcome.line)
    assert complaint_of(name) == ""


def test_few_programs_are_refused() -> None:
    assert len(PROGRAMS) >= 150
    assert EXCEPTIONS.keys() <= set(PROGRAMS)
    assert len(EXCEPTIONS) <= MOST_EXCEPTIONS * len(PROGRAMS)
