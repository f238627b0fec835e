"""The package alone: without Django, from the command line, and not at all without confinement."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import pytest

from runner.sandbox import INTERPRETER, RUNTIME_VERSION
from runner.sandbox.interpreter_faults import open_faults
from runner.sandbox.pool import Pool
from runner.sandbox.programs import Verdict
from runner.sandbox.supervisor import launcher as launching
from runner.sandbox.supervisor.layers import LAYERS, lost_layers
from runner.sandbox.supervisor.prefork import Prefork
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
        "import sys, runner.sandbox, runner.sandbox.process.zygote\n"
        "print([m for m in sys.modules if m.split('.')[0] in ('django', 'functions', 'socialcode',"
        " 'pyseccomp') or m.startswith('runner.') and not m.startswith('runner.sandbox')])"
    )
    assert python("-c", script) == "[]\n"


class Files:
    """Files of this test, and the tool run on them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def write(self, name: str, text: str) -> str:
        path = self._folder / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    def run(self, *arguments: str, stdin: bytes = b"") -> tuple[int, str, str]:
        """Exit code, what the tool printed, and what it said on standard error."""
        done = subprocess.run(
            [sys.executable, "-m", "runner.sandbox", *arguments],
            cwd=ROOT,
            input=stdin,
            capture_output=True,
            timeout=60,
            check=False,
        )
        return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


def test_a_file_runs_as_a_script_and_prints_only_what_it_prints(files: Files) -> None:
    script = files.write(
        "tried.py",
        "def test_unasked(): 1 / 0\nif __name__ == '__main__':\n    print('héllo', 1 + 1)\n",
    )
    code, printed, said = files.run(script)
    assert (code, printed) == (0, "héllo 2\n")
    assert said.startswith("passed\n")


def test_output_comes_while_the_file_still_runs(files: Files) -> None:
    script = files.write("slow.py", "import time\nprint('first')\ntime.sleep(60)\n")
    command = [sys.executable, "-m", "runner.sandbox", script]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "first\n"
        assert running.poll() is None
        running.kill()


def test_an_error_is_shown_with_the_path_and_line_of_the_file(files: Files) -> None:
    script = files.write("bad.py", "def half(x):\n    return 1 / x\nhalf(0)\n")
    code, printed, said = files.run(script)
    assert (code, printed) == (1, "")
    assert f'File "{script}", line 2, in half\n    return 1 / x' in said
    assert f"error ({script}, line 2): ZeroDivisionError: division by zero" in said


def test_what_the_policy_refuses_ends_with_one(files: Files) -> None:
    script = files.write("tried.py", "import socket\n")
    code, _, said = files.run(script)
    assert code == 1
    assert f"policy ({script}, line 1)" in said


def test_a_test_gets_the_names_of_its_file_and_of_further_modules(files: Files) -> None:
    first = files.write("a.py", "def twice(x): return 2 * x\n")
    second = files.write("b.py", "def thrice(x): return twice(x) + x\n")
    tried = files.write("my solution.py", "def add(a, b): return thrice(a) - twice(a) + b\n")
    test = files.write(
        "t.py", "def test_a(): assert add(1, 2) == 3\ndef test_b(): twice(thrice(1))\n"
    )
    modules = ["--module", f"Twice={first}", "--module", f"Thrice={second}"]
    code, printed, said = files.run(*modules, "--test", test, tried)
    assert (code, printed) == (0, ""), said
    assert said.startswith("test_a: passed\ntest_b: passed\npassed\n")
    code, _, said = files.run(*modules[2:], *modules[:2], "--test", test, tried)
    assert code == 1
    assert "name 'twice' is not defined" in said


def test_json_holds_everything_in_one_object(files: Files) -> None:
    tried = files.write("add.py", "def add(a, b): return a - b\n")
    test = files.write(
        "t.py", "def test_a(): log('on')\ndef test_b():\n    assert add(1, 2) == 3\n"
    )
    code, printed, said = files.run("--json", "--test", test, tried)
    content = json.loads(printed)
    assert (code, said) == (1, "")
    assert set(content) == {
        *("verdict", "message", "line", "module", "trace", "cases", "log"),
        *("cpu_us", "wall_us", "peak_bytes", "truncated", "value"),
    }
    assert (content["verdict"], content["module"], content["line"]) == ("failed", "t", 3)
    assert content["trace"][-1]["function"] == "test_b"
    assert [(c["name"], c["verdict"]) for c in content["cases"]] == [
        ("test_a", "passed"),
        ("test_b", "failed"),
    ]
    assert [line["text"] for line in content["log"]] == ["on"]


def test_standard_input_is_a_file_too(files: Files) -> None:
    assert files.run("-", stdin=b"print(6 * 7)")[:2] == (0, "42\n")
    test = files.write("t.py", "assert add(1, 2) == 3\n")
    assert files.run("--test", test, "-", stdin=b"def add(a, b): return a + b")[0] == 0


def test_limits_are_set_from_the_command_line(files: Files) -> None:
    endless = files.write("endless.py", "while True: pass\n")
    code, printed, _ = files.run("--json", "--timeout", "0.3", endless)
    content = json.loads(printed)
    assert (code, content["verdict"]) == (1, "time_limit")
    assert 250_000 < content["wall_us"] < 2_300_000
    large = files.write("large.py", "x = bytes(50_000_000)\n")
    assert files.run("--memory", "100", large)[0] == 0
    code, _, said = files.run("--memory", "20", large)
    assert code == 1
    assert "memory_limit" in said


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ([], "required: FILE"),
        (["{nowhere}"], "can't be read: No such file or directory"),
        (["{folder}"], "can't be read: Is a directory"),
        (["{latin}"], "isn't UTF-8 text (see byte 1)"),
        (["--test", "{nowhere}", "{file}"], "can't be read"),
        (["--module", "3x={file}", "{file}"], "with an identifier as the name"),
        (["--module", "{file}", "{file}"], "give NAME=FILE"),
        (["--module", "A={file}", "--module", "A={file}", "{file}"], "there is a module A already"),
        (["--module", "A={nowhere}", "{file}"], "can't be read"),
        (["--fast", "{file}"], "unrecognized arguments: --fast"),
        (["--timeout", "0", "{file}"], "--timeout: 0 is no number from 0.001 to 3600"),
        (["--timeout", "nan", "{file}"], "--timeout: nan is no number"),
        (["--memory", "lots", "{file}"], "--memory: lots is no number from 1 to"),
        (["--test", "-", "-"], "standard input can be only one of the files"),
        (["{file}", "{file}"], "unrecognized arguments"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_usage_ends_with_two_and_says_why(
    files: Files, tmp_path: Path, arguments: list[str], why: str
) -> None:
    (tmp_path / "latin.py").write_bytes(b"x\xe9 = 1")
    known = {
        "{file}": files.write("file.py", "x = 1\n"),
        "{latin}": str(tmp_path / "latin.py"),
        "{nowhere}": str(tmp_path / "nowhere.py"),
        "{folder}": str(tmp_path),
    }
    for name, path in known.items():
        arguments = [argument.replace(name, path) for argument in arguments]
    code, printed, said = files.run(*arguments)
    assert (code, printed) == (2, "")
    assert why in said


def test_the_status_tells_the_layers() -> None:
    lines = python("-m", "runner.sandbox", "status").splitlines()
    assert lines[0].startswith("available, started through: ")
    told = [line for line in lines if line.startswith(("holds: ", "lost: "))]
    assert [line.split(": ")[1].split(", against ")[0] for line in told] == [
        layer.name for layer in LAYERS
    ]
    assert f"programs run on {INTERPRETER} (the site's): {sys.executable}" in lines


def test_the_status_as_json_has_the_same() -> None:
    status = json.loads(python("-m", "runner.sandbox", "status", "--json"))
    assert status["available"]
    assert status["attempts"] >= 18
    by_name = {layer["name"]: layer for layer in status["layers"]}
    assert by_name["seccomp"]["holds"]
    assert "start a program" in by_name["seccomp"]["tried"]
    assert all(layer["holds"] or layer["remedies"] for layer in status["layers"])
    assert status["interpreter"]["runtime"] == RUNTIME_VERSION
    faults = [fault["report"] for fault in status["interpreter"]["faults"]]
    assert faults == [fault.report for fault in open_faults(sys.version_info[:3])]


@pytest.mark.parametrize("launcher", launching.LAUNCHERS)
def test_every_way_to_start_confines(launcher: str, monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        launching.launch_by(launcher).close()
    except Exception as refused:
        if launcher == "bare":
            raise
        pytest.skip(f"this machine doesn't allow {launcher}: {refused}")
    monkeypatch.setattr(launching, "LAUNCHERS", (launcher,))
    with Pool(prefork=Prefork(ahead=1)) as pool:
        assert pool.layers is not None
        assert pool.layers.launcher == launcher
        # Through bubblewrap root stays root to the host, which is why it isn't the first choice.
        assert (pool.layers.user != 0) or (launcher == "bubblewrap" and os.getuid() == 0)
        lost = [layer.name for layer in lost_layers(pool.layers)]
        assert ("ordinary user" in lost) == (not pool.layers.user)
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
