"""The rules that users read, and the tests that show them, stay in step."""

import ast
import re

from tests.support.site import ROOT

RULES = ROOT / "docs" / "rules.md"


def rules() -> dict[str, list[str]]:
    """Return the tests of each rule, by its text."""
    lines = RULES.read_text(encoding="utf-8").splitlines()
    found = {}
    for line in lines:
        if line.startswith("- "):
            text, _, tests = line[2:].partition(" [`")
            found[text] = re.findall(r"test_\w+", tests)
    return found


def names_of_tests() -> set[str]:
    return {
        node.name
        for path in (ROOT / "tests").rglob("test_*.py")
        if "corpus" not in path.parts
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def test_each_rule_names_tests_and_each_of_them_is_there() -> None:
    named = rules()
    assert len(named) > 40
    assert [text for text, tests in named.items() if not tests] == []
    there = names_of_tests()
    assert {text: lost for text, tests in named.items() if (lost := set(tests) - there)} == {}
