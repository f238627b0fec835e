"""The files of functions and tests: Python that pytest runs as it is."""

import ast
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from socialcode_client.folder.scopes import SITE_HELPERS, received, scope_of
from socialcode_client.folder.source import as_file, normal, wrapped
from socialcode_client.models import Function, Implementation, Test

PACKAGE = "sc"
SITE_MODULE = '''\
"""The names that every run on the site has without importing them."""

import asyncio


def log(*values, sep=" ", end="\\n", file=None, flush=False):
    """Print."""
    print(*values, sep=sep, end=end, file=file, flush=flush)


def check(condition, message=""):
    """Assert, as a function."""
    if not condition:
        raise AssertionError(str(message) if message != "" else "check failed")


def synchronous(test):
    """Return a test that runs an asynchronous one to its end."""

    def run():
        asyncio.run(test())

    run.__module__ = test.__module__
    return run
'''
CONFTEST = '''\
"""Collects the tests that a module defines itself, not those that it imports."""


def pytest_pycollect_makeitem(collector, name, obj):
    is_imported = getattr(obj, "__module__", None) != collector.module.__name__
    return [] if is_imported and callable(obj) else None
'''
PYPROJECT = """\
[tool.pytest.ini_options]
addopts = "--import-mode=importlib"
pythonpath = ["."]
testpaths = ["tests"]
"""
_LONGEST_NAME = 60
_RUNS_ITSELF = re.compile(r"\b(?:unittest\.main|doctest\.testmod)\s*\(")


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A function as a module; without an implementation, `code` is a stub."""

    name: str
    code: str
    credit: str
    uses: tuple[str, ...] = ()
    is_stub: bool = False

    @property
    def path(self) -> str:
        return f"{PACKAGE}/{self.name}.py"


@dataclass(frozen=True, slots=True)
class TestFile:
    """A test as a file; `note` says why pytest can't run it."""

    __test__ = False  # pytest: not a test class

    path: str
    text: str
    note: str = ""


def piece_of(function: Function, implementation: Implementation | None) -> Piece:
    """Return a function with this implementation as a module."""
    if implementation is None:
        return Piece(
            name=function.name,
            code=_stub(function),
            credit=f"{function.name} has no implementation yet",
            is_stub=True,
        )
    return Piece(
        name=function.name,
        code=normal(implementation.code),
        credit=_credit(function.name, "implementation", implementation),
        uses=tuple(name for name in implementation.depends_on if name != function.name),
    )


def piece_of_document(function: Function, value: Any) -> Piece:
    """Return a document as a module."""
    text = json.dumps(value, ensure_ascii=True)
    code = f"import json\n\n{function.name} = json.loads({text!r})\n"
    return Piece(name=function.name, code=code, credit=f"{function.name}, a document")


def module_text(piece: Piece, pieces: Mapping[str, Piece]) -> str:
    """Return a function's file. Modules of a circle import each other at their end."""
    if not _parses(piece.code):
        return normal(piece.code)
    names = received(piece.code, {name: pieces[name].code for name in piece.uses if name in pieces})
    circle = {name for name in names if piece.name in _reached_from(name, pieces)}
    lines = {name: _import_line(name, words) for name, words in names.items()}
    top = [line for name, line in lines.items() if name not in circle]
    bottom = [line for name, line in lines.items() if name in circle]
    return as_file(piece.code, [f"# {piece.credit}", *_helpers(piece.code), *top], bottom)


def _reached_from(name: str, pieces: Mapping[str, Piece]) -> set[str]:
    reached: set[str] = set()
    left = [name]
    while left:
        for used in pieces[left.pop()].uses:
            if used in pieces and used not in reached:
                reached.add(used)
                left.append(used)
    return reached


def test_file(test: Test, pieces: Mapping[str, Piece]) -> TestFile:
    """Return a test's file."""
    code = normal(test.code)
    label = str(test.number) if test.number else f"draft_{test.id}"
    if test.language != "python":
        ending = "js" if test.language == "javascript" else test.language
        return TestFile(f"tests/{test.function}/test_{label}.{ending}", code, f"it is {ending}")
    path = f"tests/{test.function}/test_{label}.py"
    if not _parses(code):
        return TestFile(path, code, "it isn't valid Python")
    known = [test.function, *(name for name in test.depends_on if name != test.function)]
    names = received(code, {name: pieces[name].code for name in known if name in pieces})
    top = [f"# {_credit(test.function, 'test', test)}", *_helpers(code)]
    top += [_import_line(name, words) for name, words in names.items()]
    if _RUNS_ITSELF.search(code):
        path = path.replace("/test_", "/script_")
        return TestFile(path, as_file(code, top), "it runs its tests itself, without pytest")
    cases = _cases(ast.parse(code))
    if cases:
        waits = [node.name for node in cases if isinstance(node, ast.AsyncFunctionDef)]
        if waits:
            top.append(f"from {PACKAGE}._site import synchronous")
        bottom = [f"{name} = synchronous({name})" for name in waits]
        return TestFile(path, as_file(code, top, bottom))
    name = _case_name(test, label)
    given = frozenset(word for words in names.values() for word in words) | SITE_HELPERS
    function = wrapped(code, name, given)
    if function is not None:
        return TestFile(path, as_file(function, top))
    reached = ["", "", f"def {name}():", '    """Passes if the code above has run."""']
    return TestFile(path, as_file(code, top, reached))


def _stub(function: Function) -> str:
    if function.kind == "class":
        return f"class {function.name}:\n    pass\n"
    text = f"def {function.name}{function.signature.strip()}:\n    raise NotImplementedError\n"
    if _parses(text):
        return text
    return f"def {function.name}(*args, **kwargs):\n    raise NotImplementedError\n"


def _parses(code: str) -> bool:
    try:
        scope_of(code)
    except (SyntaxError, ValueError, RecursionError):
        return False
    return True


def _cases(tree: ast.Module) -> list[ast.stmt]:
    """Return what pytest would collect."""
    return [
        node
        for node in tree.body
        if (
            isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            and node.name.startswith("test")
        )
        or (isinstance(node, ast.ClassDef) and (node.name.startswith("Test") or node.bases))
    ]


def _helpers(code: str) -> list[str]:
    scope = scope_of(code)
    used = sorted((scope.read & SITE_HELPERS) - scope.bound)
    return [f"from {PACKAGE}._site import {', '.join(used)}"] if used else []


def _import_line(function: str, words: Sequence[str]) -> str:
    return f"from {PACKAGE}.{function} import {', '.join(words)}"


def _credit(function: str, noun: str, work: Implementation | Test) -> str:
    number = f" {work.number}" if work.number else ", a draft"
    terms = f", {work.license}" if work.license else ""
    return f"{function}: {noun}{number} by {_one_line(work.author)}{terms}"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _case_name(test: Test, label: str) -> str:
    words = re.sub(r"[^0-9a-z]+", "_", test.title.lower()).strip("_")
    return f"test_{words[:_LONGEST_NAME].rstrip('_') or label}"
