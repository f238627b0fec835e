"""PURE: a test as a module that pytest collects."""

import ast
import re

from functions.export.bundle import TestPiece
from functions.export.source_rewrite import indent, is_future, with_imports
from functions.source.scopes import BUILTINS, scope_of

_LONGEST_NAME = 60
# Code that uses these may behave differently inside a function.
_INTROSPECTION = frozenset(
    {"globals", "locals", "vars", "dir", "eval", "exec", "__name__", "__doc__"}
)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_RUNS_ITSELF = {("unittest", "main"), ("doctest", "testmod")}


def is_runnable(code: str) -> bool:
    """Return whether pytest can run it; not if it runs its module's tests by itself."""
    calls = (node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Attribute))
    return not any(
        isinstance(node.value, ast.Name) and (node.value.id, node.attr) in _RUNS_ITSELF
        for node in calls
    )


def pytest_module(
    test: TestPiece, imports: list[str], bound: frozenset[str], *, helpers: str
) -> str:
    """Return the test as a module with these imports, which bind the names in `bound`.

    `helpers` is the module of `synchronous`. Top-level code becomes a test function where that
    doesn't change its meaning.
    """
    tree = ast.parse(test.code)
    cases = [
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("test_")
    ]
    if cases:
        waits = [node.name for node in cases if isinstance(node, ast.AsyncFunctionDef)]
        if waits:
            imports = [*imports, f"from {helpers} import synchronous"]
        ends = [f"{name} = synchronous({name})" for name in waits]
        return with_imports(test.code, imports, ends)
    if _can_stand_in_a_function(tree, test.code, bound):
        body = indent(test.code.strip("\n").rstrip())
        return with_imports(f"def {_case_name(test)}():\n{body}\n", imports, [])
    reached = f'def {_case_name(test)}():\n    """Passes if the code above has run."""'
    return with_imports(test.code, imports, [reached])


def _case_name(test: TestPiece) -> str:
    words = re.sub(r"[^0-9a-z]+", "_", test.title.lower()).strip("_")
    return f"test_{words[:_LONGEST_NAME].rstrip('_') or test.number}"


def _can_stand_in_a_function(tree: ast.Module, code: str, bound: frozenset[str]) -> bool:
    scope = scope_of(code)
    if scope.is_open or scope.used & _INTROSPECTION or any(map(is_future, tree.body)):
        return False
    if any(isinstance(node, ast.Global) for node in ast.walk(tree)):
        return False
    return not scope.bound & (bound | BUILTINS)
