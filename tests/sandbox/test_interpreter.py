"""The Python that runs programs: its known faults, and another one than the site's."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import interpreters
from runner.analysis.pool import Analysis, AnalysisPool
from runner.programs.program import program_key
from runner.sandbox import INTERPRETER, RUNTIME_VERSION, Module, Pool, Program, Verdict
from runner.sandbox.interpreter import SETTING, Interpreter, find_interpreter
from runner.sandbox.interpreter_faults import FAULTS, open_faults
from runner.sandbox.supervisor import launcher as launching
from tests.sandbox.conftest import program_testing

# In one process, as they share an environment.
pytestmark = pytest.mark.xdist_group("interpreter")

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = tomllib.loads(
    (Path(__file__).parent / "interpreter_faults.toml").read_text(encoding="utf-8")
)
KNOWN = {fault.report: fault for fault in FAULTS}
# Python 3.12 has this syntax, and 3.11 hasn't.
NEW_SYNTAX = "type Pair = tuple[int, int]\n"
ALIKE = """
from dataclasses import dataclass

@dataclass
class Point:
    x: int

def F(values, *, key=None):
    values.sort(key=key)
    if not values:
        raise KeyError("none")
    return {"first": values[0], "points": [Point(value).x for value in values]}
"""
VALUES: list[Any] = [
    None,
    True,
    0,
    -(2**70),
    1.5e300,
    5e-324,
    "\N{SNOWMAN}",
    [[]],
    {"": {"a": [1]}},
]
ECHOING = """
def F(*args, **kwargs):
    print(*args, {1, 2}, b"bytes", 1j, float("nan"))
    return args, kwargs
"""
TEST = """
import pytest

def test_it():
    values = [3, 1, 2]
    assert F(values, key=lambda value: -value) == {"first": 3, "points": [3, 2, 1]}
    assert values == [3, 2, 1]

def test_nothing():
    with pytest.raises(KeyError, match="none"):
        F([])
"""


# --- faults ---------------------------------------------------------------------------------------


def test_every_known_fault_has_a_program_that_shows_it() -> None:
    assert [name for name in PROGRAMS if re.fullmatch(r"gh-\d+", name)] == [*KNOWN]


@pytest.mark.parametrize(
    ("version", "open_ones"),
    [
        ((3, 11, 7), 7),
        ((3, 11, 15), 6),
        ((3, 12, 1), 7),
        ((3, 12, 5), 6),
        ((3, 12, 10), 4),
        ((3, 13, 0), 6),
        ((3, 13, 3), 4),
        ((3, 13, 12), 0),
        ((3, 14, 2), 4),
        ((3, 14, 3), 0),
        ((3, 15, 0), 0),
    ],
    ids=str,
)
def test_a_release_has_the_faults_that_were_closed_later(
    version: tuple[int, ...], open_ones: int
) -> None:
    assert len(open_faults(version)) == open_ones


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_fault_of_python_ends_only_the_run_that_uses_it(pool: Pool, name: str) -> None:
    crashed = pool.run(program_testing(f"def F():\n{indented(PROGRAMS[name])}", "F()"))
    if (fault := KNOWN.get(name)) is not None:
        assert (crashed.verdict is Verdict.CRASHED) == fault.is_open_in(INTERPRETER.version)
    assert crashed.verdict in {Verdict.CRASHED, Verdict.ERROR, Verdict.PASSED}
    # Nothing outlasts it, for the same pool and zygote.
    assert pool.run(program_testing(ALIKE, TEST)).verdict is Verdict.PASSED


def indented(code: str) -> str:
    """A program as the body of a function, whose names are global."""
    return f"    exec({code!r}, {{}})\n"


# --- another Python -------------------------------------------------------------------------------


def test_without_the_setting_programs_run_on_the_site_s_python(pool: Pool) -> None:
    assert INTERPRETER.executable == sys.executable
    assert INTERPRETER.version == sys.version_info[:3]
    test = f"import sys\nassert sys.version_info[:3] == {sys.version_info[:3]}"
    assert pool.run(program_testing("def F(): pass", test)).verdict is Verdict.PASSED


def old_python(folder: Path) -> str:
    """A program that answers as an old Python would."""
    path = folder / "python"
    path.write_text(f"#!/bin/sh\necho 3 8 1 1 1 {path}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def bare_python(folder: Path) -> str:
    """This Python in an environment without any package."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "bare"], check=True)
    return str(folder / "bare/bin/python")


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda folder: str(folder / "none"), "is not a working Python"),
        (lambda _: "/bin/true", "is not a working Python"),
        (old_python, "is 3.8.1, not a released CPython 3.11 to 3.14"),
        (bare_python, "python bootstrap.py sandbox --python"),
    ],
)
def test_a_python_that_programs_cannot_run_on_is_refused_with_the_reason(
    tmp_path: Path, make: Callable[[Path], str], problem: str
) -> None:
    assert problem in find_interpreter(make(tmp_path)).problem


def test_nothing_starts_with_a_python_that_is_no_other(tmp_path: Path) -> None:
    path = str(tmp_path / "none")
    for command in (["manage.py", "callers"], ["-m", "runner.sandbox", "status"]):
        ended = subprocess.run(
            [sys.executable, *command],
            cwd=ROOT,
            env={**os.environ, SETTING: path},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode != 0
        assert f"{path} is not a working Python" in ended.stdout + ended.stderr
        assert "Traceback" not in ended.stderr


@pytest.fixture(scope="module")
def other() -> Interpreter:
    """Another Python of this machine, in an environment with what programs need."""
    found = [one for one in interpreters.find() if one.version[:2] != sys.version_info[:2]]
    usable = [one for one in found if one.is_usable]
    if not usable:
        pytest.skip("this machine has no other supported Python with venv")
    folder = f".venvs/sandbox-{usable[0]}"
    command = [sys.executable, "bootstrap.py", "sandbox", "--python", usable[0].path]
    (ROOT / ".venvs").mkdir(exist_ok=True)
    # Other processes of the same test run may make it, too.
    with (ROOT / ".venvs" / "sandbox.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run([*command, "--environment", folder], cwd=ROOT, check=True)
    return find_interpreter(str(ROOT / folder / "bin/python"))


@pytest.fixture
def on_other(other: Interpreter, monkeypatch: pytest.MonkeyPatch) -> Interpreter:
    """Let the sandbox use it."""
    monkeypatch.setattr(launching, "INTERPRETER", other)
    return other


def test_programs_run_on_the_other_python(on_other: Interpreter) -> None:
    with Pool() as pool:
        test = f"import sys\nassert sys.version_info[:3] == {on_other.version}"
        assert pool.run(program_testing("def F(): pass", test)).verdict is Verdict.PASSED
        outcome = pool.run(program_testing(ALIKE, TEST))
        assert outcome.verdict is Verdict.PASSED, outcome.message
        assert [case.name for case in outcome.cases] == ["test_it", "test_nothing"]
        # Again, with the code that the first run has compiled.
        assert pool.run(program_testing(ALIKE, TEST)).verdict is Verdict.PASSED


@pytest.mark.parametrize(
    "program",
    [
        Program(
            (Module("F", ECHOING),),
            "call",
            "F",
            arguments={"args": VALUES, "kwargs": {"ß": VALUES}},
        ),
        program_testing(ECHOING, "assert F('ä') == (('ä',), {})\nassert F(b'') == {1: 2.5}"),
    ],
    ids=["call", "test"],
)
def test_values_cross_to_the_other_python_as_to_the_site_s_own(
    on_other: Interpreter, pool: Pool, program: Program
) -> None:
    ours = pool.run(program)  # by zygotes from before the change
    with Pool() as others:
        theirs = others.run(program)
    for name in ("verdict", "message", "module", "line", "trace", "value", "cases"):
        assert getattr(theirs, name) == getattr(ours, name), name
    assert [line.text for line in theirs.log] == [line.text for line in ours.log]
    if program.arguments:
        assert theirs.value == [VALUES, {"ß": VALUES}]


def test_source_is_read_with_the_grammar_of_the_other_python(on_other: Interpreter) -> None:
    accepts = on_other.version >= (3, 12)
    with Pool() as pool:
        verdict = pool.run(program_testing(f"{NEW_SYNTAX}F = Pair", "F")).verdict
    assert verdict is (Verdict.PASSED if accepts else Verdict.POLICY)

    async def complaints() -> str:
        analyses = AnalysisPool("functions.analysis.confined:analyst")
        try:
            return (await analyses.run(Analysis("check", json.dumps({"code": NEW_SYNTAX})))).text
        finally:
            analyses.close()

    assert ('"complaints": []' in asyncio.run(complaints())) == accepts


def test_the_runtime_is_that_of_the_other_python_whatever_the_site_s_is(
    other: Interpreter,
) -> None:
    assert other.runtime != RUNTIME_VERSION
    script = "from runner.sandbox import RUNTIME_VERSION; print(RUNTIME_VERSION)"
    for site, sandbox, runtime in (
        (other.executable, "", other.runtime),
        (sys.executable, other.executable, other.runtime),
        (other.executable, sys.executable, RUNTIME_VERSION),
    ):
        assert said(site, "-c", script, sandbox=sandbox) == f"{runtime}\n"
    keys = {program_key([], entry="load", subject="F", runtime=r) for r in ("", other.runtime)}
    assert len(keys) == 2


def test_a_site_on_the_other_python_runs_programs_on_this_one(
    other: Interpreter, tmp_path: Path
) -> None:
    """So both an older and a newer Python than the site's are tried."""
    files = {"F.py": ALIKE, "test_F.py": TEST, "version.py": "import sys; print(sys.version)"}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    run = ("-m", "runner.sandbox")
    printed = said(other.executable, *run, tmp_path / "version.py", sandbox=sys.executable)
    assert printed == f"{sys.version}\n"
    tried = ("--test", tmp_path / "test_F.py", tmp_path / "F.py")
    assert said(other.executable, *run, *tried, sandbox=sys.executable) == ""
    status = said(other.executable, *run, "status", sandbox=sys.executable)
    assert f"programs run on {INTERPRETER} (set by {SETTING}): {sys.executable}" in status


def said(*command: str | Path, sandbox: str) -> str:
    """What a command prints, with this setting; it must succeed."""
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, SETTING: sandbox},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
