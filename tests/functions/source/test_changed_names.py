"""Another name for a function in code."""

import pytest

from functions.source.markers import change_name


@pytest.mark.parametrize(
    ("code", "changed"),
    [
        ("def Add(a, b):\n    return a + b\n", "def Sum(a, b):\n    return a + b\n"),
        ("assert Add(1, Add(2, 3)) == 6", "assert Sum(1, Sum(2, 3)) == 6"),
        ("# <<Add>> adds; Addition\n", "# <<Sum>> adds; Addition\n"),
        ("'''<<Add>>''' + 'Add'", "'''<<Sum>>''' + 'Add'"),
        ("f'{Add(1, 2)} Add'", "f'{Sum(1, 2)} Add'"),
        ("tools.Add(1); Adder(); add()", "tools.Add(1); Adder(); add()"),
        ("def Add(:\n", "def Sum(:\n"),
        ("", ""),
    ],
)
def test_names_and_markers_change_and_nothing_else(code: str, changed: str) -> None:
    assert change_name(code, "Add", "Sum") == changed
