"""The modules that programs import do what they do in Python."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

from runner.sandbox import IMPORTABLE, Limits, Module, Pool, Program, Verdict
from runner.sandbox.language.importable import REFUSED, UNUSABLE, WHOLE
from tests.sandbox.conftest import RunSource
from tests.sandbox.modules_in_use import MISTAKEN, USES

ROOT = Path(__file__).resolve().parents[2]


def test_every_module_that_is_offered_can_be_imported(pool: Pool) -> None:
    there = [name for name in IMPORTABLE if is_there(name)]
    source = "".join(f"import {name}\n" for name in there)
    outcome = pool.run(Program((Module("F", source),), "script", "F"))
    assert (outcome.verdict, outcome.message) == (Verdict.PASSED, "")
    assert len(there) > 150


def is_there(name: str) -> bool:
    """Tell whether this release of Python has such a module."""
    return importlib.util.find_spec(name) is not None


@pytest.mark.parametrize("module", USES)
def test_a_module_does_what_it_does_in_python(pool: Pool, module: str) -> None:
    if sys.version_info[:3] == MISTAKEN.get(module):
        pytest.skip("this release of Python gets it wrong")
    plain = subprocess.run(
        [sys.executable, "-I", "-W", "ignore", "-c", USES[module]],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={"PYTHONHASHSEED": "0"},
        check=False,
    )
    assert plain.returncode == 0, plain.stderr
    outcome = pool.run(Program((Module("F", USES[module]),), "script", "F"))
    assert outcome.verdict is Verdict.PASSED, f"{outcome.message} (line {outcome.line})"
    printed = "\n".join(line.text for line in outcome.log)
    assert printed.rstrip("\n") == plain.stdout.rstrip("\n")


def test_chance_comes_from_the_seed_of_the_program(pool: Pool) -> None:
    source = (
        "import random, secrets, uuid\nprint(random.random(), uuid.uuid4(), secrets.randbits(99))"
    )

    def printed(seed: bytes) -> list[str]:
        program = Program((Module("F", source),), "script", "F", seed=seed)
        return [line.text for line in pool.run(program).log]

    assert printed(b"a" * 32) == printed(b"a" * 32) != printed(b"b" * 32)


def test_what_goes_to_stderr_and_warnings_is_logged(run_code: RunSource) -> None:
    outcome = run_code(
        "import sys, warnings, logging\nprint('a', file=sys.stderr)\nwarnings.warn('careful')\n"
        "logging.warning('low %d', 3)\nsys.stdout.write('no end')"
    )
    assert [line.text for line in outcome.log] == [
        "a",
        "test:3: UserWarning: careful",
        "  warnings.warn('careful')",
        "WARNING:root:low 3",
        "no end",
    ]


def test_a_traceback_shows_frames_of_user_code_only(run_code: RunSource) -> None:
    outcome = run_code(
        "import traceback, functools\ndef f(x):\n    return 1 / x\n"
        "try:\n    functools.reduce(lambda a, b: f(b), [1, 0])\n"
        "except ZeroDivisionError:\n    traceback.print_exc()\n"
    )
    texts = [line.text for line in outcome.log]
    assert texts[0] == "Traceback (most recent call last):"
    assert [text for text in texts if text.startswith("  File ")] == [
        '  File "test", line 5, in <module>',
        '  File "test", line 5, in <lambda>',
        '  File "test", line 3, in f',
    ]
    assert "    return 1 / x" in texts
    assert texts[-1] == "ZeroDivisionError: division by zero"


def test_the_recursion_limit_goes_as_deep_as_a_program_may(run_code: RunSource) -> None:
    outcome = run_code(
        "import sys\nsys.setrecursionlimit(10 ** 9)\nassert sys.getrecursionlimit() <= 50_000\n"
    )
    assert outcome.verdict is Verdict.PASSED, outcome.message


def test_no_recursion_limit_is_higher_than_the_programs_own(run_code: RunSource) -> None:
    code = "import sys\nsys.setrecursionlimit(10 ** 9)\nassert sys.getrecursionlimit() == 700"
    outcome = run_code(code, limits=Limits(recursion=700))
    assert outcome.verdict is Verdict.PASSED, outcome.message


def test_standard_output_can_be_assigned(run_code: RunSource) -> None:
    outcome = run_code(
        "import io, sys\nold = sys.stdout\nsys.stdout = io.StringIO()\nprint('kept')\n"
        "kept, sys.stdout = sys.stdout.getvalue(), old\nassert kept == 'kept\\n'\nprint('told')"
    )
    assert outcome.verdict is Verdict.PASSED, outcome.message
    assert [line.text for line in outcome.log] == ["told"]


def test_the_page_lists_what_is_offered_and_what_is_not() -> None:
    page = (ROOT / "docs" / "modules.md").read_text("utf-8")
    parts = page.split("\n## ")
    # Of tables, all but the reasons.
    listed = [re.sub(r"\|[^|]*\|$", "", part, flags=re.MULTILINE) for part in parts]
    offered, unusable, refused = (set(re.findall("`([^`]+)`", part)) for part in listed)
    assert offered == IMPORTABLE | WHOLE
    assert unusable == {name for names in UNUSABLE for name in names}
    assert refused == REFUSED.keys() - IMPORTABLE
