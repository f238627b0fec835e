"""The package alone: without Django, from the command line, and not at all without confinement."""

from __future__ import annotations

import platform
import re
import subprocess
import sys
from pathlib import Path

import pytest

from runner.sandbox import RUNTIME_VERSION, confinement_status, launching
from runner.sandbox.nursery import Nursery
from runner.sandbox.pool import Pool
from runner.sandbox.programs import Verdict
from tests.sandbox.conftest import program_testing

ROOT = Path(__file__).resolve().parents[2]


def python(*arguments: str, code: int = 0) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


def test_it_imports_neither_django_nor_the_rest_of_the_machinery() -> None:
    script = (
        "import sys, runner.sandbox, runner.sandbox.zygote\n"
        "print([m for m in sys.modules if m.split('.')[0] in ('django', 'functions', 'socialcode',"
        " 'pyseccomp') or m.startswith('runner.') and not m.startswith('runner.sandbox')])"
    )
    assert python("-c", script) == "[]\n"


def test_a_file_runs_confined_from_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "tried.py"
    file.write_text("def test_it():\n    log('hello')\n    assert 1 + 1 == 2\n", encoding="utf-8")
    said = python("-m", "runner.sandbox", str(file))
    assert said.splitlines()[:3] == ["hello", "test_it: passed", "passed"]


def test_a_failing_file_ends_with_one(tmp_path: Path) -> None:
    file = tmp_path / "tried.py"
    file.write_text("import os\n", encoding="utf-8")
    assert "policy (line 1)" in python("-m", "runner.sandbox", str(file), code=1)


def test_a_file_that_is_not_there_ends_with_two() -> None:
    assert "No such file" in python("-m", "runner.sandbox", "nowhere.py", code=2)
    assert "usage" in python("-m", "runner.sandbox", code=2)


def test_the_status_tells_the_layers() -> None:
    assert "seccomp" in python("-m", "runner.sandbox", "status")
    status = confinement_status()
    assert status.available
    assert status.layers is not None
    assert status.layers.missing() == ""


@pytest.mark.parametrize("launcher", launching.LAUNCHERS)
def test_every_way_to_start_confines(launcher: str, monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        launching.launch_by(launcher).close()
    except Exception as refused:
        if launcher == "bare":
            raise
        pytest.skip(f"this machine doesn't allow {launcher}: {refused}")
    monkeypatch.setattr(launching, "LAUNCHERS", (launcher,))
    with Pool(nursery=Nursery(ahead=1)) as pool:
        assert pool.layers is not None
        assert pool.layers.launcher == launcher
        assert pool.layers.user != 0
        assert pool.run(program_testing("F = 1", "assert F == 1")).verdict is Verdict.PASSED


WITHOUT = """
import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
# A filter that answers EINVAL to prctl({option}, ...), as a kernel without that feature does.
load, jump, answer = 0x20, 0x15, 0x06
program = b"".join(struct.pack("<HBBI", *i) for i in [
    (load, 0, 0, 0), (jump, 0, 3, {number}), (load, 0, 0, 16), (jump, 0, 1, {option}),
    (answer, 0, 0, 0x00050000 | 22), (answer, 0, 0, 0x7FFF0000)])
buffer = ctypes.create_string_buffer(program, len(program))
class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p)]
made = Program(len(program) // 8, ctypes.addressof(buffer))
libc.prctl(38, 1, 0, 0, 0)
assert libc.prctl(22, 2, ctypes.byref(made), 0, 0) == 0
from runner.sandbox import Pool, SandboxUnavailable
try:
    Pool()
except SandboxUnavailable as unavailable:
    print("unavailable:", unavailable)
else:
    print("it ran")
"""
PRCTL = {"x86_64": 157, "aarch64": 167}


@pytest.mark.parametrize(("option", "layer"), [(22, "seccomp"), (38, "no_new_privs")])
def test_without_a_needed_layer_nothing_runs(option: int, layer: str) -> None:
    script = WITHOUT.format(option=option, number=PRCTL[platform.machine()])
    said = python("-c", script)
    assert said.startswith("unavailable:"), said
    assert layer in said
    assert "nothing is run" in said


def test_the_runtime_version_is_short_and_stable() -> None:
    assert re.fullmatch(r"[0-9a-f]{12}", RUNTIME_VERSION)
    script = "from runner.sandbox import RUNTIME_VERSION; print(RUNTIME_VERSION)"
    assert python("-c", script).strip() == RUNTIME_VERSION
