"""The client shares nothing with the server but the HTTP API."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.source import PACKAGES, ROOT, belongs_to, modules
from tests.architecture.test_packages import FUNCTION, MOST_FUNCTION_LINES, own_lines
from tests.architecture.test_shape import EMPTY_NAMES, LONGEST_MODULE_LINES

SOURCE = ROOT / "client/src"
FILES = sorted(SOURCE.rglob("*.py"))
PROJECT = tomllib.loads((ROOT / "client/pyproject.toml").read_text(encoding="utf-8"))["project"]
# Names of what is imported, where they aren't those of what is installed.
OWN = "socialcode_client"


def imports_of(path: Path) -> Iterator[tuple[str, int]]:
    """Yield the modules that a file imports, with their lines."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "" if node.level == 0 else OWN), node.lineno


def declared() -> set[str]:
    """Return what the client says that it needs, always or for tools of language models."""
    needed = (*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["mcp"])
    return {re.split(r"[^a-z0-9_-]", each)[0] for each in needed}


def test_the_client_imports_itself_and_what_it_declares() -> None:
    allowed = {OWN, *declared(), *sys.stdlib_module_names}
    found = [
        f"{path.relative_to(ROOT)}:{line} imports {name}"
        for path in FILES
        for name, line in imports_of(path)
        if name.split(".")[0] not in allowed
    ]
    assert FILES
    assert found == []
    assert not allowed & {*PACKAGES, "django", "tests"}


def test_what_the_client_declares_it_uses() -> None:
    used = {name.split(".")[0] for path in FILES for name, _ in imports_of(path)}
    assert declared() <= used


def test_the_server_imports_nothing_of_the_client() -> None:
    found = [
        f"{module.name}:{line}"
        for module in modules()
        for name, line in module.imports()
        if belongs_to(name, OWN)
    ]
    assert found == []


def test_what_the_client_needs_is_pinned_for_its_tests() -> None:
    written = (ROOT / "requirements-dev.in").read_text(encoding="utf-8").splitlines()
    assert set(PROJECT["dependencies"]) <= set(written)


def test_its_modules_are_as_short_as_the_others() -> None:
    for path in FILES:
        text = path.read_text(encoding="utf-8")
        assert len(text.splitlines()) <= LONGEST_MODULE_LINES, path
        assert path.stem not in EMPTY_NAMES
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, FUNCTION):
                assert own_lines(node) <= MOST_FUNCTION_LINES, (path, node.name)
