"""Code of the site as files: nothing is lost on the way there and back."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from socialcode_client.folder.scopes import received, scope_of
from socialcode_client.folder.source import OPEN, UNWRAPPED, Unmarked, as_file, original, wrapped
from tests.support.site import ROOT

LIBRARY = ROOT / "functions/samples/library"
PROGRAMS = sorted(LIBRARY.rglob("*.py"))


def test_the_library_is_there() -> None:
    assert len(PROGRAMS) > 100


def test_each_program_of_the_library_comes_back_as_it_was() -> None:
    for path in PROGRAMS:
        code = path.read_text(encoding="utf-8").rstrip("\n") + "\n"
        text = as_file(
            code, ["# a credit", "from sc.Add import Add"], ["from sc.Other import Other"]
        )
        assert original(text).code == code, path
        compile(text, path, "exec")
        function = wrapped(code, "test_it", frozenset())
        if function is not None:
            assert original(as_file(function, ["# a credit"])).code == code, path


LINES = st.sampled_from(
    [
        '"""What it is for."""',
        "from __future__ import annotations",
        "",
        "   ",
        "# <<Add>>",
        "x = 1",
        "def f():\n    return '''\n  deep\n'''",
        "assert Add(1, 2) == 3",
        "for x in range(3):\n    check(x)",
        "text = f'''\n{1}\n'''",
    ]
)


@given(st.lists(LINES, max_size=8))
def test_whatever_it_is_made_of_it_comes_back(lines: list[str]) -> None:
    code = "\n".join(lines).rstrip("\n") + "\n"
    try:
        compile(code, "code", "exec")
    except SyntaxError:
        return
    function = wrapped(code, "test_it", frozenset())
    if function is not None:
        assert original(as_file(function, ["import sc"])).code == code
    if code.strip() and not code.endswith(" \n"):
        assert original(as_file(code, ["import sc"])).code == code


def test_statements_at_the_top_level_become_a_function_that_pytest_runs() -> None:
    text = wrapped("x = Add(2, 3)\nassert x == 5\n", "test_sum", frozenset({"Add"}))
    assert text == f"def test_sum():  {UNWRAPPED}\n    x = Add(2, 3)\n    assert x == 5\n"


@pytest.mark.parametrize(
    "code",
    [
        "Add = 1\n",  # would be a local name before it is bound
        "list = 1\nassert list\n",
        "from __future__ import annotations\n",
        "assert globals()\n",
        "def f():\n    global x\n    x = 1\n",
    ],
)
def test_they_stay_where_a_function_would_change_their_meaning(code: str) -> None:
    assert wrapped(code, "test_it", frozenset({"Add"})) is None


def test_an_edited_function_is_taken_out_again() -> None:
    text = wrapped("assert Add(2, 3) == 5\n", "test_it", frozenset())
    assert text is not None
    more = text + "    assert Add(0, 0) == 0\n"
    assert original(more).code == "assert Add(2, 3) == 5\nassert Add(0, 0) == 0\n"
    beside = text + "\n\ndef test_more():\n    assert Add(1, 1) == 2\n"
    assert original(beside).code == beside


def test_an_import_that_somebody_writes_becomes_a_marker() -> None:
    text = "from sc.Add import Add\nfrom sc.Sum import (\n    Sum,\n)\n"
    text += "from sc._site import log\nx = 1\n"
    assert original(text).code == "# <<Add>>\n# <<Sum>>\n\n\n\nx = 1\n"
    with pytest.raises(Unmarked, match="without `as`") as refused:
        original(f"{OPEN}\n# <<< socialcode\n\nfrom sc.Add import Add as Plus\n")
    assert refused.value.line == 4


def test_lines_of_the_code_are_found_in_the_file() -> None:
    found = original(as_file("def f():\n    return 1\n", ["# credit", "import sc"]))
    assert [found.line_in_file(1), found.line_in_file(2)] == [6, 7]


def test_a_damaged_block_is_refused_with_its_line() -> None:
    with pytest.raises(Unmarked) as refused:
        original(f"x = 1\n{OPEN}\ny = 2\n")
    assert refused.value.line == 2
    with pytest.raises(Unmarked):
        original("x = 1\n# <<< socialcode\n")


def test_names_are_received_from_the_functions_that_offer_them() -> None:
    providers = {
        "Add": "def Add(a, b):\n    return a + b\n\n\nclass Sum(int):\n    pass\n\n\n_own = 1\n",
        "Sum": "def Sum(xs):\n    return [x for x in xs]\n",
    }
    code = "def f():\n    return Add(Sum([1]), x)\n"
    assert received(code, providers) == {"Add": ["Add"], "Sum": ["Sum"]}
    assert received("Sum = 1\nprint(Sum)\n", providers) == {}
    assert scope_of(providers["Sum"]).public == {"Sum"}


def test_every_line_of_a_file_is_counted(tmp_path: Path) -> None:
    code = "a = 1\n\n\nb = 2\n"
    text = as_file(code, ["# credit"])
    lines = text.splitlines()
    found = original(text)
    assert [lines[number - 1] for number in found.lines] == code.splitlines()
