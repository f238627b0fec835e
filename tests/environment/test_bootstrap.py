"""The virtual environment: made once, redone when interrupted, and plain about what it lacks."""

import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import bootstrap
import interpreters
from interpreters import Interpreter

THIS = Interpreter(sys.version_info[:3], True, True, sys.executable)


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout that requires nothing, on a machine with this Python alone."""
    (tmp_path / "requirements.txt").write_text("# nothing\n")
    monkeypatch.setattr(bootstrap, "ROOT", tmp_path)
    monkeypatch.setattr(interpreters, "find", lambda: [THIS])
    return tmp_path


def refuse_to_run(*_: Any, **__: Any) -> None:
    pytest.fail("nothing had to be done")


def pretend_made_by(checkout: Path, version: str) -> None:
    """Let the environment be of another Python."""
    noted = checkout / ".venv/pyvenv.cfg"
    lines = noted.read_text().splitlines()
    kept = [line for line in lines if not line.startswith("version =")]
    noted.write_text("\n".join([*kept, f"version = {version}"]))


def test_an_environment_is_made_once_and_again_when_an_installation_was_cut_short(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bootstrap.main(["run"]) == 0
    assert (checkout / ".venv/bin/python").exists()
    with monkeypatch.context() as patched:
        patched.setattr(subprocess, "run", refuse_to_run)
        patched.setattr(interpreters, "find", refuse_to_run)
        assert bootstrap.main(["run"]) == 0

    (checkout / "requirements.txt").write_text("a-package-without-a-hash==1\n")
    assert bootstrap.main(["run"]) == 1
    assert "start again" in capsys.readouterr().err
    (checkout / "requirements.txt").write_text("# nothing\n")
    assert not bootstrap.is_installed("run", checkout / ".venv")
    assert bootstrap.main(["run"]) == 0
    assert bootstrap.is_installed("run", checkout / ".venv")


def test_another_supported_python_s_environment_stays_until_one_is_asked_for(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert bootstrap.main(["run"]) == 0
    other = "3.11.0" if THIS.version != (3, 11, 0) else "3.12.0"
    pretend_made_by(checkout, other)
    with monkeypatch.context() as patched:
        patched.setattr(subprocess, "run", refuse_to_run)
        assert bootstrap.main(["run"]) == 0
    assert bootstrap.main(["run", "--python", sys.executable]) == 0
    assert f"version = {THIS}" in (checkout / ".venv/pyvenv.cfg").read_text()


@pytest.mark.parametrize("version", ["3.10.9", "3.99.0"])
def test_an_environment_of_a_python_that_is_not_supported_is_made_anew(
    checkout: Path, version: str
) -> None:
    assert bootstrap.main(["run"]) == 0
    pretend_made_by(checkout, version)
    assert bootstrap.main(["run"]) == 0
    assert f"version = {THIS}" in (checkout / ".venv/pyvenv.cfg").read_text()


# What is there, newest first, and what is said or chosen.
CHOICES: list[tuple[list[Interpreter], str]] = [
    (
        [Interpreter((3, 13, 1), True, True, "/new"), Interpreter((3, 11, 2), True, True, "/old")],
        "/new",
    ),
    (
        [Interpreter((3, 13, 1), True, False, "/new"), Interpreter((3, 11, 2), True, True, "/old")],
        "/old",
    ),
    ([Interpreter((3, 12, 1), True, False, "/new")], "apt-get install python3.12-venv"),
    ([], "needs a released CPython 3.11 to"),
]


@pytest.mark.parametrize(("there", "expected"), CHOICES)
def test_the_newest_that_can_be_used_is_taken(
    monkeypatch: pytest.MonkeyPatch, there: list[Interpreter], expected: str
) -> None:
    monkeypatch.setattr(interpreters, "find", lambda: there)
    try:
        said = bootstrap.choose("").path
    except bootstrap.Impossible as reason:
        said = str(reason)
    assert expected in said


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (Interpreter((3, 10, 9), True, True, "/x"), "is 3.10.9"),
        (Interpreter((3, 99, 0), True, True, "/x"), "is 3.99.0"),
        (Interpreter((3, 13, 0), False, True, "/x"), "a released CPython"),
        (Interpreter((3, 11, 2), True, False, "/x"), "python3.11-venv"),
        (None, "is not a working Python"),
    ],
)
def test_a_python_that_can_not_be_used_is_refused_with_a_cure(
    checkout: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    answer: Interpreter | None,
    expected: str,
) -> None:
    monkeypatch.setattr(interpreters, "ask", lambda path: answer)
    assert bootstrap.main(["run", "--python", "python"]) == 1
    said = capsys.readouterr().err
    assert expected in said
    assert "PYTHON=" in said or "apt-get" in said
    assert not (checkout / ".venv").exists()


def test_every_python_that_starts_is_found_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "python3").symlink_to(sys.executable)
    broken = tmp_path / "two/python3.12"
    broken.write_text("#!/bin/sh\nexit 127\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "one"))
    monkeypatch.setattr(interpreters, "FOLDERS", (str(tmp_path / "t*"),))
    assert [one.version for one in interpreters.find()] == [sys.version_info[:3]]


def test_a_full_disk_is_noticed_before_anything_is_made(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    full = SimpleNamespace(total=10, used=10, free=0)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: full)
    assert bootstrap.main(["run"]) == 1
    assert "is full" in capsys.readouterr().err
    assert not (checkout / ".venv").exists()
