"""Tests that hang end by themselves, not well, and last of all it is said where they stood."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.site import ROOT

HANGS_ONCE_IT_HAS_FAILED = """
import time, pytest

@pytest.fixture
def left_behind():
    yield
    time.sleep(600)

def test_hangs(left_behind):
    assert "what failed" == ""

@pytest.mark.parametrize("number", range(6))
def test_others(number):
    time.sleep(0.1)
"""
CRASHES = HANGS_ONCE_IT_HAS_FAILED.replace("time.sleep(600)", "import os; os.abort()")


def run(folder: Path, tests: str, *words: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_these.py").write_text(tests)
    plugins = ("xdist", "no:faulthandler", "tests.plugins.standstill")
    return subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-n1", "--dist=loadgroup", "--max-worker-restart=0"),
            *(word for plugin in plugins for word in ("-p", plugin)),
            *("-c", "/dev/null", f"--rootdir={folder}", "-W", "ignore", *words, str(folder)),
        ],
        cwd=ROOT,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("tests", "words"),
    [
        (HANGS_ONCE_IT_HAS_FAILED, ["-o", "longest_test_seconds=1"]),
        (HANGS_ONCE_IT_HAS_FAILED, ["-o", "longest_silence_seconds=4"]),
        (CRASHES, []),
    ],
    ids=["a test", "a run", "a crash"],
)
def test_what_hangs_ends_and_the_end_says_where(
    tmp_path: Path, tests: str, words: list[str]
) -> None:
    ended = run(tmp_path, tests, *words)
    assert ended.returncode == 1, ended.stdout + ended.stderr
    said = ended.stdout
    assert said.index("FAILURES") < said.index("where gw") < said.index('test_these.py", line 7')
    assert "what failed" in said
    assert "crashed while running" in said
