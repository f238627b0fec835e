"""The tables of ordinary programs are in order, and all of them pass in plain Python."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.sandbox.programs.table import FOLDER, Judged, Script, TableError, read_tables

ROOT = Path(__file__).resolve().parents[2]
FEWEST_SCRIPTS = 140
FEWEST_JUDGED = 100
LONGEST_SECONDS = 120

BROKEN = """
[[program]]
name = "passes"
features = []
source = "raise SystemExit(0)"

[[program]]
name = "leaves"
features = []
source = "raise SystemExit(3)"

[[program]]
name = "dies"
features = []
source = "import os; os.kill(os.getpid(), 9)"

[[program]]
name = "asserts"
features = []
function = "Add"
implementation = "def Add(a, b): return a - b"
test = "assert Add(1, 1) == 2"

[[program]]
name = "test_function"
features = []
function = "Add"
implementation = "def Add(a, b): return a - b"
test = "async def test_add(): assert Add(1, 1) == 2"

[[program]]
name = "test_case"
features = []
function = "Add"
implementation = "def Add(a, b): return a - b"
test = '''
import unittest

class AddTest(unittest.TestCase):
    def test_add(self):
        self.assertEqual(Add(1, 1), 2)
'''

[[program]]
name = "by_pytest"
features = []
function = "Add"
implementation = "def Add(a, b): return a - b"
test = '''
import pytest

@pytest.mark.parametrize("a", [0, 1])
def test_add(a):
    assert Add(a, a) == 2 * a
'''

[[program]]
name = "private_names"
features = []
function = "Add"
implementation = "import math\\ndef Add(a, b): return _add(a, b)\\ndef _add(a, b): return a + b"
test = '''
for name in ("math", "_add", "Sub"):
    assert name not in globals()
assert Add(1, 1) == 2
'''
dependencies.Sub = "def Sub(a, b): return a - b"

[[program]]
name = "unmarked"
features = []
function = "Add"
implementation = "def Add(a, b): return Sub(a, -b)"
test = "assert Add(1, 1) == 2"
dependencies.Sub = "def Sub(a, b): return a - b"

[[program]]
name = "marked"
features = []
function = "Add"
implementation = '''
def Add(a, b): return Sub(a, -b)  # <<Sub>>
'''
test = "check(Add(1, 1) == 2)"
dependencies.Sub = "def Sub(a, b): return a - b"
"""


def complaints(folder: Path = FOLDER) -> dict[str, str]:
    """Run all programs of a folder in plain Python, in one process and its forks."""
    said = subprocess.run(
        [sys.executable, "-m", "tests.sandbox.programs.plain_python", "--folder", str(folder)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=LONGEST_SECONDS,
        check=True,
    )
    found: dict[str, str] = json.loads(said.stdout)
    return found


def test_the_tables_are_in_order() -> None:
    programs = read_tables()
    counted = Counter(program.name for program in programs)
    assert [name for name, count in counted.items() if count > 1] == []
    assert sum(isinstance(program, Script) for program in programs) >= FEWEST_SCRIPTS
    assert sum(isinstance(program, Judged) for program in programs) >= FEWEST_JUDGED
    assert [program.name for program in programs if not program.features] == []


def test_every_program_passes_in_plain_python() -> None:
    assert complaints() == {}


def test_programs_that_fail_are_found(tmp_path: Path) -> None:
    (tmp_path / "broken.toml").write_text(BROKEN, encoding="utf-8")
    found = complaints(tmp_path)
    assert found.keys() == {program.name for program in read_tables(tmp_path)} - {
        *("passes", "private_names", "marked")
    }
    assert found["dies"] == "ended with -9"
    assert "assert Add(1, 1) == 2" in found["asserts"]
    assert "-2 != 2" in found["test_case"] or "0 != 2" in found["test_case"]
    assert "NameError" in found["unmarked"]


@pytest.mark.parametrize(
    "row",
    [
        'name = "x"',
        'name = "x"\nfeatures = []\nfunction = "F"\nimplementation = ""',
        'name = "x"\nfeatures = []\nsource = ""\nsurprise = 1',
        'name = "x"\nfeatures = []\nfunction = "F"\nkind = "k"\nimplementation = ""\ntest = ""',
    ],
)
def test_a_row_of_another_form_is_refused(tmp_path: Path, row: str) -> None:
    (tmp_path / "odd.toml").write_text(f"[[program]]\n{row}\n", encoding="utf-8")
    with pytest.raises(TableError, match=r"odd\.toml, x"):
        read_tables(tmp_path)
