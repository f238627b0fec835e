"""The trial on every Python tells of each what went wrong, and fails when something did."""

import sys
from pathlib import Path

import pytest

import interpreters
from interpreters import Interpreter
from tests import every_python

OLD, NEW = (Interpreter((3, minor, 0), True, True, "/nowhere") for minor in (11, 14))


def passing(_one: Interpreter, log: Path) -> None:
    log.write_text("well\n")


def failing(one: Interpreter, log: Path) -> None:
    log.write_text("its last words\n")
    if one == NEW:
        raise every_python.Failed("it ended with 1")


def out_of_reach(one: Interpreter, _log: Path) -> None:
    raise every_python.Unreachable(f"nobody may not execute {one.path}")


@pytest.mark.parametrize(
    ("arguments", "status", "rows"),
    [
        ((), 1, ["3.14.0  passed       FAILED", "3.11.0  passed       passed"]),
        (("3.11",), 0, ["3.11.0  passed       passed"]),
        (("3.11", "--at-least", "2"), 1, ["3.11.0  passed       passed"]),
    ],
)
def test_the_table_tells_what_failed_and_few_are_not_enough(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    status: int,
    rows: list[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["every_python", *arguments])
    monkeypatch.setattr(every_python, "LOGS", tmp_path)
    monkeypatch.setattr(every_python, "CHECKS", {"environment": passing, "make run": failing})
    monkeypatch.setattr(interpreters, "find", lambda: [NEW, OLD])
    assert every_python.main() == status
    said = capsys.readouterr().out
    table = said[said.index("Python  environment") :].splitlines()
    assert table[1 : len(rows) + 1] == rows
    assert ("  | its last words" in said) == ("FAILED" in said)
    # Whoever looks for pytest's own last line finds none here.
    assert " passed in " not in said


def test_a_python_that_an_ordinary_user_may_not_execute_is_named_and_fails_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["every_python"])
    monkeypatch.setattr(every_python, "LOGS", tmp_path)
    monkeypatch.setattr(every_python, "CHECKS", {"as a user": out_of_reach})
    monkeypatch.setattr(interpreters, "find", lambda: [OLD])
    assert every_python.main() == 0
    said = capsys.readouterr().out
    assert "nobody may not execute /nowhere" in said
    assert "3.11.0  unreachable" in said
