"""What becomes of a module and its tests: drafts that can be run, or the lines that prevent it."""

from typing import Any

import pytest

from functions.errors import Refusal
from functions.module_import import Plan, PlannedFunction
from functions.module_import.plan import plan_import
from runner.sandbox import IMPORTABLE, Module, Pool, Program

SHAPES = '''"""Shapes."""
from __future__ import annotations
import math, socket
from .add import Add  # <<Add>>

SCALE = {"cm": 1}
SCALE["m"] = 100  # one metre


class Shape:
    def __init__(self, r):
        self.r = r


# The area
# of a circle.
def area(r: float, *, unit="cm") -> float:
    """Area of a circle.

    In squares.
    """
    return math.pi * r * r * SCALE[unit]  # exact


def _half(x):
    return x / 2


def perimeter(s: Shape):
    return Add(twice(s.r), 0) * _half(1) * SCALE["cm"]


def twice(x): return Add(x, x)


def even(n):
    return n == 0 or odd(n - 1)


def odd(n):
    return n != 0 and even(n - 1)


if __name__ == "__main__":
    print(area(1))
'''
TESTS = """import pytest
import math
import shapes as s
from shapes import Shape, perimeter


@pytest.fixture
def radius():
    return 2


@pytest.fixture(scope="module")
def shape(radius):
    return Shape(radius)


# small ones
@pytest.mark.parametrize("r, expected", [(1, math.pi), (0, 0)])
@pytest.mark.parametrize("unit", ["cm"])
def test_area_of_small(r, expected, unit):
    assert s.area(r, unit=unit) == pytest.approx(expected)


def test_perimeter(shape):
    assert perimeter(shape) > 0
    assert s.twice(2) == 4


def test_bad():
    with pytest.raises(KeyError, match="km") as info:
        s.area(1, unit="km")
    assert info.value.args == ("km",)


def test_both_ways():
    assert s.even(4) and not s.odd(4)
"""


def plan(module: str, tests: str = "", **known: str) -> Plan:
    return plan_import(module, tests, known=known, importable=IMPORTABLE)


def complaints(module: str, tests: str = "", **known: str) -> list[tuple[str, str, int | None]]:
    with pytest.raises(Refusal) as refused:
        plan(module, tests, **known)
    return [(one.field, one.code, one.line) for one in refused.value.errors]


def verdicts(of: Plan, *others: Module) -> dict[str, str]:
    """Run each planned test with all that was planned, in the sandbox."""
    modules = [*others, *(Module(one.name, one.code, one.uses) for one in of.functions)]
    found = {}
    with Pool(1) as pool:
        for function in of.functions:
            for test in function.tests:
                names = (*(one.name for one in of.functions), *(one.name for one in others))
                last = Module("test", test.code, names)
                outcome = pool.run(Program((*modules, last), "test", function.name))
                found[test.name] = f"{outcome.verdict} {outcome.message}".strip()
    return found


def by_name(of: Plan) -> dict[str, PlannedFunction]:
    return {one.name: one for one in of.functions}


def test_a_module_becomes_functions_with_what_each_needs_and_tests_that_pass() -> None:
    made = plan(SHAPES, TESTS, add="Add")
    functions = by_name(made)
    assert list(functions) == ["area", "perimeter", "twice", "even", "odd"]
    area = functions["area"]
    assert (area.signature, area.description, area.uses) == (
        "(r: float, *, unit='cm') -> float",
        "Area of a circle.\n\nIn squares.",
        (),
    )
    assert "# The area\n# of a circle.\ndef area(" in area.code
    assert 'SCALE["m"] = 100  # one metre' in area.code
    assert "class Shape" not in area.code
    assert functions["perimeter"].uses == ("Add", "twice")
    assert functions["perimeter"].code.startswith("# Uses <<Add>> and <<twice>>.\n")
    assert "from .add" not in functions["twice"].code
    assert [test.title for test in area.tests] == ["area of small", "bad"]
    assert [test.title for test in functions["even"].tests] == ["both ways"]
    assert "# Uses <<odd>>." in functions["even"].tests[0].code
    assert any("SCALE goes along into area and perimeter" in note for note in made.notes)
    assert any(note.startswith("Line 3 of the module: socket can't") for note in made.notes)
    # `socket` can't be imported: whoever used it would have to write it otherwise.
    runnable = plan(SHAPES.replace("import math, socket", "import math"), TESTS, add="Add")
    add = Module("Add", "def Add(a, b):\n    return a + b\n", ())
    assert verdicts(runnable, add) == dict.fromkeys(
        ["test_area_of_small", "test_bad", "test_perimeter", "test_both_ways"], "passed"
    )


@pytest.mark.parametrize(
    ("tests", "line"),
    [
        ("@pytest.mark.skip\ndef test_f():\n    f()\n", 1),
        ("def test_f(tmp_path):\n    f()\n", 1),
        ("def test_f():\n    pytest.skip('no')\n    f()\n", 1),
        ("\n\nclass TestF:\n    def test_f(self):\n        f()\n", 3),
        ("\n\nclass OfF(Base):\n    def testF(self):\n        f()\n", 3),
        ("def test_other():\n    assert 1\n", 1),
        ("def setup_function():\n    f()\n", 1),
        ("def testF():\n    f()\n", 1),
        ("if True:\n    def test_f():\n        f()\n", 1),
        ("pytestmark = pytest.mark.slow\n", 1),
        ("def test_f():\n    f()\nassert f()\n", 3),
        ("@pytest.fixture\ndef a():\n    yield 1\ndef test_f(a):\n    f()\n", 2),
        ("@pytest.mark.parametrize('a', [pytest.param(1)])\ndef test_f(a):\n    f()\n", 1),
    ],
)
def test_what_has_no_counterpart_is_refused_with_its_line(tests: str, line: int) -> None:
    found = complaints("def f():\n    return 1\n", f"import pytest\n{tests}")
    assert found == [("tests", "unknown_to_import", line + 1)]


def test_nothing_of_the_tests_is_left_out_without_a_word() -> None:
    made = plan(
        "def f(a):\n    return a\n",
        "import pytest\nLOST = 1\ndef helper():\n    pass\n"
        "@pytest.mark.parametrize(['a'], [(1,), (2,)])\n"
        "@pytest.mark.parametrize('b', [(1, 2)])\n"
        "def test_f(a, b):\n    assert f(a) in (1, 2)\n    assert f(b) == (1, 2)\n",
    )
    assert made.notes == (
        "Line 2 of the tests: LOST is used by no test and stays behind.",
        "Line 3 of the tests: helper is used by no test and stays behind.",
    )
    assert verdicts(made) == {"test_f": "passed"}


@pytest.mark.parametrize(
    ("module", "known", "expected"),
    [
        ("def f(:\n", {}, ("module", "syntax_error", 1)),
        ("x = 1\n", {}, ("module", "nothing_to_import", None)),
        ("def log():\n    pass\n", {}, ("module", "reserved_name", 1)),
        ("def math():\n    pass\n", {}, ("module", "reserved_name", 1)),
        ("\ndef add():\n    pass\n", {"add": "Add"}, ("module", "name_taken", 2)),
        ("def ü():\n    pass\n", {}, ("module", "invalid_name", 1)),
    ],
)
def test_a_module_that_makes_no_functions_is_refused(
    module: str, known: dict[str, Any], expected: tuple[str, str, int | None]
) -> None:
    assert expected in complaints(module, **known)


def test_names_that_only_differ_in_case_are_refused_on_both_lines() -> None:
    found = complaints("def add():\n    pass\ndef Add():\n    pass\n")
    assert ("module", "name_taken", 3) in found
