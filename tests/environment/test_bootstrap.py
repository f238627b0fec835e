"""The virtual environment: made once, redone when interrupted, and plain about what it lacks."""

import importlib.util
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import bootstrap


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout that requires nothing."""
    (tmp_path / "requirements.txt").write_text("# nothing\n")
    monkeypatch.setattr(bootstrap, "ROOT", tmp_path)
    monkeypatch.setattr(bootstrap, "ENVIRONMENT", tmp_path / ".venv")
    monkeypatch.setattr(bootstrap, "STAMPS", tmp_path / ".venv/installed")
    return tmp_path


def refuse_to_run(*_: Any, **__: Any) -> None:
    pytest.fail("nothing had to be done")


def test_an_environment_is_made_once_and_again_when_an_installation_was_cut_short(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bootstrap.main(["run"]) == 0
    assert (checkout / ".venv/bin/python").exists()
    with monkeypatch.context() as patched:
        patched.setattr(subprocess, "run", refuse_to_run)
        assert bootstrap.main(["run"]) == 0

    (checkout / "requirements.txt").write_text("a-package-without-a-hash==1\n")
    assert bootstrap.main(["run"]) == 1
    assert "start again" in capsys.readouterr().err
    (checkout / "requirements.txt").write_text("# nothing\n")
    assert not bootstrap.is_installed("run")
    assert bootstrap.main(["run"]) == 0
    assert bootstrap.is_installed("run")


def test_a_python_without_venv_is_told_what_to_install(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert bootstrap.main(["run"]) == 1
    assert "apt-get install python3" in capsys.readouterr().err
    assert not (checkout / ".venv").exists()


def test_an_old_python_is_told_which_one_is_needed(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bootstrap, "OLDEST_PYTHON", (99, 0))
    assert bootstrap.main(["run"]) == 1
    assert "PYTHON=" in capsys.readouterr().err


def test_a_full_disk_is_noticed_before_anything_is_made(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    full = SimpleNamespace(total=10, used=10, free=0)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: full)
    assert bootstrap.main(["run"]) == 1
    assert "is full" in capsys.readouterr().err
    assert not (checkout / ".venv").exists()
